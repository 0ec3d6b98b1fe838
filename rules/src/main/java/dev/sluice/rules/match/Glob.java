package dev.sluice.rules.match;

import java.util.Arrays;

/**
 * A pattern with wildcards: {@code *} for any characters but a slash, {@code **} for any at all, {@code ?} for one that
 * is not a slash. Between slashes, and after the last one, {@code **} may stand for nothing together with a slash:
 * {@code /api/**} matches {@code /api} too, and {@code /a/**}{@code /b} matches {@code /a/b}.
 *
 * <p><b>How is it designed, and why?</b> Matching keeps the set of positions in the pattern that the value so far can reach,
 * as bits, and steps it from character to character. It never backtracks, so that no value, however chosen, takes longer
 * than its length times that of the pattern. Plain text that ends in {@code **}, the most common glob, is compared as a
 * prefix.
 */
public final class Glob implements Pattern {
    /** The largest number of characters of a pattern. */
    public static final int MAX_LENGTH = 512;

    private static final int ONE = -1;
    private static final int SOME = -2;
    private static final int ANY = -3;

    private final String text;
    /** A character, or one of the above. */
    private final int[] places;

    private final String prefix;
    private final String suffix;

    private Glob(String text, int[] places) {
        this.text = text;
        this.places = places;
        this.prefix = literalFrom(0, 1);
        this.suffix = literalFrom(places.length - 1, -1);
    }

    /** Reads a glob. */
    public static Glob parse(String text) {
        if (text.length() > MAX_LENGTH) {
            throw new IllegalArgumentException(
                    "a pattern has at most " + MAX_LENGTH + " characters, was " + text.length());
        }
        int[] places = new int[text.length()];
        int count = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            boolean next = i + 1 < text.length();
            if (c == '\\' && next && "*?\\".indexOf(text.charAt(i + 1)) >= 0) {
                places[count++] = text.charAt(++i);
            } else if (c == '*') {
                boolean twice = next && text.charAt(i + 1) == '*';
                i += twice ? 1 : 0;
                places[count++] = twice ? ANY : SOME;
            } else {
                places[count++] = c == '?' ? ONE : c;
            }
        }
        return new Glob(text, Arrays.copyOf(places, count));
    }

    /** Whether it has no wildcard. */
    boolean isLiteral() {
        return prefix.length() == places.length;
    }

    /** The value of a glob without wildcards. */
    public String literal() {
        return prefix;
    }

    /** The text that every matching value begins with. */
    String prefix() {
        boolean slashMayGo = places.length == prefix.length() + 1 && isAnyAfterSlash(places.length - 1);
        return slashMayGo ? prefix.substring(0, prefix.length() - 1) : prefix;
    }

    /** The text that every matching value ends with. */
    String suffix() {
        int before = places.length - suffix.length() - 1;
        boolean slashMayGo = suffix.startsWith("/") && before >= 0 && isFolders(before);
        return slashMayGo ? suffix.substring(1) : suffix;
    }

    @Override
    public boolean matches(String value) {
        if (!value.startsWith(prefix())) {
            return false;
        }
        if (places.length == prefix.length() + 1 && places[places.length - 1] == ANY) {
            return value.length() == prefix().length() || value.startsWith(prefix);
        }
        return value.endsWith(suffix()) && walk(value);
    }

    private boolean walk(String value) {
        long[] now = new long[(places.length >> 6) + 1];
        long[] next = new long[now.length];
        reach(now, 0);
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            Arrays.fill(next, 0);
            boolean alive = false;
            for (int word = 0; word < now.length; word++) {
                for (long bits = now[word]; bits != 0; bits &= bits - 1) {
                    alive |= step(next, (word << 6) + Long.numberOfTrailingZeros(bits), c);
                }
            }
            if (!alive) {
                return false;
            }
            long[] spare = now;
            now = next;
            next = spare;
        }
        return isSet(now, places.length);
    }

    private boolean step(long[] next, int place, char c) {
        if (place == places.length) {
            return false;
        }
        int meant = places[place];
        if (meant == ANY || (meant == SOME && c != '/')) {
            stay(next, place);
            return true;
        }
        if (meant == c || (meant == ONE && c != '/')) {
            reach(next, place + 1);
            return true;
        }
        return false;
    }

    /** Adds a position, and those that are reached from it without a character. */
    private void reach(long[] set, int place) {
        if (place < places.length && isFolders(place) && isSlash(place + 1)) {
            reach(set, place + 2);
        }
        if (isSlash(place) && place + 2 == places.length && places[place + 1] == ANY) {
            reach(set, place + 2);
        }
        stay(set, place);
    }

    /** Adds a position, and the one after it if this one is a wildcard, which may match nothing. */
    private void stay(long[] set, int place) {
        if (isSet(set, place)) {
            return;
        }
        set[place >> 6] |= 1L << place;
        if (place < places.length && (places[place] == SOME || places[place] == ANY)) {
            reach(set, place + 1);
        }
    }

    private static boolean isSet(long[] set, int place) {
        return (set[place >> 6] & 1L << place) != 0;
    }

    private boolean isSlash(int place) {
        return place < places.length && places[place] == '/';
    }

    /** Whether this is a {@code **} at the start of a path segment. */
    private boolean isFolders(int place) {
        return places[place] == ANY && (place == 0 || isSlash(place - 1));
    }

    private boolean isAnyAfterSlash(int place) {
        return places[place] == ANY && place > 0 && isSlash(place - 1);
    }

    private String literalFrom(int start, int step) {
        StringBuilder literal = new StringBuilder();
        for (int i = start; i >= 0 && i < places.length && places[i] >= 0; i += step) {
            literal.append((char) places[i]);
        }
        return (step < 0 ? literal.reverse() : literal).toString();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Glob glob && text.equals(glob.text);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }

    @Override
    public String toString() {
        return text;
    }
}
