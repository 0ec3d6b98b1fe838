package dev.sluice.rules.file;

import org.jspecify.annotations.Nullable;

/** How numbers are written: digits, and underscores between them if you like. */
final class Numbers {
    private static final int MAX_DIGITS = 18;

    private Numbers() {}

    /** The number that {@code text} writes, or null if it writes none. */
    static @Nullable Long parse(String text) {
        long number = 0;
        int digits = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            boolean between = i > 0 && i + 1 < text.length() && text.charAt(i - 1) != '_';
            if (c == '_' && between) {
                continue;
            }
            if (c < '0' || c > '9' || ++digits > MAX_DIGITS) {
                return null;
            }
            number = number * 10 + c - '0';
        }
        return digits == 0 ? null : number;
    }
}
