package dev.sluice.text;

import java.util.Collection;

/** Suggests the known name that is nearest to a misspelt one. */
public final class DidYouMean {
    private DidYouMean() {}

    /** {@code ; did you mean 'limits'?}, or an empty text if none of {@code known} is near. */
    public static String hint(String name, Collection<String> known) {
        String best = "";
        int least = Math.min(3, 1 + name.length() / 3) + 1;
        for (String candidate : known) {
            int distance = distance(name, candidate, least);
            if (distance < least) {
                best = candidate;
                least = distance;
            }
        }
        return best.isEmpty() ? "" : "; did you mean '" + best + "'?";
    }

    /** The same for the end of a sentence: a full stop if none is near. */
    public static String ending(String name, Collection<String> known) {
        String hint = hint(name, known);
        return hint.isEmpty() ? "." : hint;
    }

    /** The number of letters to change, insert, delete or swap with their neighbour; at most {@code max}. */
    private static int distance(String one, String other, int max) {
        if (Math.abs(one.length() - other.length()) >= max) {
            return max;
        }
        int[][] cost = new int[one.length() + 1][other.length() + 1];
        for (int i = 0; i <= one.length(); i++) {
            for (int j = 0; j <= other.length(); j++) {
                cost[i][j] = i == 0 || j == 0 ? i + j : step(one, other, cost, i, j);
            }
        }
        return cost[one.length()][other.length()];
    }

    private static int step(String one, String other, int[][] cost, int i, int j) {
        boolean same = Character.toLowerCase(one.charAt(i - 1)) == Character.toLowerCase(other.charAt(j - 1));
        int best = Math.min(cost[i - 1][j - 1] + (same ? 0 : 1), Math.min(cost[i - 1][j], cost[i][j - 1]) + 1);
        boolean swapped =
                i > 1 && j > 1 && one.charAt(i - 1) == other.charAt(j - 2) && one.charAt(i - 2) == other.charAt(j - 1);
        return swapped ? Math.min(best, cost[i - 2][j - 2] + 1) : best;
    }
}
