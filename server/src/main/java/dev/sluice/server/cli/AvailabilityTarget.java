package dev.sluice.server.cli;

import dev.sluice.text.Quoted;
import java.math.BigDecimal;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads a target such as {@code 99.9%}, with or without the sign. */
final class AvailabilityTarget {
    private static final Pattern PERCENT = Pattern.compile("(\\d{1,2}(?:\\.\\d{1,6})?) ?%?");

    private AvailabilityTarget() {}

    /** The target as a part of 1. */
    static double parse(String text) {
        Matcher percent = PERCENT.matcher(text.strip());
        if (percent.matches()) {
            double target = new BigDecimal(percent.group(1)).movePointLeft(2).doubleValue();
            if (target > 0) {
                return target;
            }
        }
        throw new IllegalArgumentException(
                "must be a percentage of more than 0 and less than 100, such as 99.9%, was " + Quoted.quoted(text));
    }
}
