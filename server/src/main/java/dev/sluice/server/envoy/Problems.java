package dev.sluice.server.envoy;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import org.snakeyaml.engine.v2.nodes.Node;

/** What has been found wrong with one file. */
final class Problems {
    private static final int MOST = 100;

    private final String file;
    private final List<String> found = new ArrayList<>();

    Problems(String file) {
        this.file = file;
    }

    String file() {
        return file;
    }

    List<String> found() {
        return found;
    }

    void add(Node node, String what) {
        add(at(node) + ": " + what);
    }

    void add(String what) {
        if (found.size() < MOST) {
            found.add(what);
        }
    }

    /** Where a node begins, as {@code file:line:column}. */
    String at(Node node) {
        return node.getStartMark()
                .map(mark -> file + ":" + (mark.getLine() + 1) + ":" + (mark.getColumn() + 1))
                .orElse(file);
    }

    /** What {@code name} was perhaps meant to be, or all that it can be. */
    static String suggest(String name, Collection<String> known) {
        String lower = name.toLowerCase(Locale.ROOT);
        return known.stream()
                .filter(candidate -> distance(lower, candidate) <= Math.max(1, candidate.length() / 3))
                .min((a, b) -> Integer.compare(distance(lower, a), distance(lower, b)))
                .map(nearest -> "did you mean '" + nearest + "'?")
                .orElse("known here are " + String.join(", ", known));
    }

    /** How many letters have to be put in, left out or changed. */
    private static int distance(String a, String b) {
        int[] row = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int above = row[j];
                int changed = a.charAt(i - 1) == b.charAt(j - 1) ? diagonal : diagonal + 1;
                row[j] = Math.min(changed, Math.min(above, row[j - 1]) + 1);
                diagonal = above;
            }
        }
        return row[b.length()];
    }
}
