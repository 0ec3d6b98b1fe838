package dev.sluice.text;

import org.jspecify.annotations.Nullable;

/** Reads whole numbers. */
public final class WholeNumber {
    private static final int MAX_DIGITS = 18;

    private WholeNumber() {}

    /** Reads up to 18 digits, with underscores between them as in {@code 1_000}; null if that is not what it is. */
    public static @Nullable Long parse(String text) {
        String digits = text.replace("_", "");
        return digits.length() <= MAX_DIGITS && text.matches("[0-9]+(_[0-9]+)*") ? (Long) Long.parseLong(digits) : null;
    }
}
