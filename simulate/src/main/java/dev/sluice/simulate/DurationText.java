package dev.sluice.simulate;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations as people write them: {@code 250ms}, {@code 10s}, {@code 1m}, {@code 2h}, {@code 1d}. */
final class DurationText {
    private static final Pattern PATTERN = Pattern.compile("(\\d{1,12})(us|ms|s|m|h|d)");

    private DurationText() {}

    /** Reads a duration; {@code name} is what the message calls it. */
    static Duration parse(String name, String text) {
        Matcher matcher = PATTERN.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException(
                    name + " must be a number and one of us, ms, s, m, h, d, as in 10s; was '" + text + "'");
        }
        return Duration.of(Long.parseLong(matcher.group(1)), unit(matcher.group(2)));
    }

    private static ChronoUnit unit(String suffix) {
        return switch (suffix) {
            case "us" -> ChronoUnit.MICROS;
            case "ms" -> ChronoUnit.MILLIS;
            case "s" -> ChronoUnit.SECONDS;
            case "m" -> ChronoUnit.MINUTES;
            case "h" -> ChronoUnit.HOURS;
            default -> ChronoUnit.DAYS;
        };
    }

    /** Writes microseconds in the largest unit that needs no fraction. */
    static String format(long micros) {
        if (micros % 86_400_000_000L == 0 && micros != 0) {
            return micros / 86_400_000_000L + "d";
        }
        if (micros % 3_600_000_000L == 0 && micros != 0) {
            return micros / 3_600_000_000L + "h";
        }
        if (micros % 60_000_000 == 0 && micros != 0) {
            return micros / 60_000_000 + "m";
        }
        if (micros % 1_000_000 == 0) {
            return micros / 1_000_000 + "s";
        }
        return micros % 1000 == 0 ? micros / 1000 + "ms" : micros + "us";
    }

    /** Writes microseconds to a tenth, rounded up, of the largest unit that they fill. */
    static String rounded(long micros) {
        if (micros >= 3_600_000_000L) {
            return tenths(micros, 360_000_000) + "h";
        } else if (micros >= 60_000_000) {
            return tenths(micros, 6_000_000) + "m";
        } else if (micros >= 1_000_000) {
            return tenths(micros, 100_000) + "s";
        }
        return micros >= 1000 ? tenths(micros, 100) + "ms" : micros + "us";
    }

    private static String tenths(long micros, long tenthMicros) {
        return Svg.tenths(-Math.floorDiv(-micros, tenthMicros));
    }
}
