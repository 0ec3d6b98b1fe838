package dev.sluice.rules.file;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** How durations are written: {@code 500ms}, {@code 1m}, {@code 1h30m}, or in words {@code minute}, {@code day}. */
final class Durations {
    static final String EXPECTED = "a duration such as 500ms, 30s, 1m, 1h30m, 1d or 1w";

    private static final Map<String, ChronoUnit> UNITS = Map.of(
            "us", ChronoUnit.MICROS,
            "ms", ChronoUnit.MILLIS,
            "s", ChronoUnit.SECONDS,
            "m", ChronoUnit.MINUTES,
            "h", ChronoUnit.HOURS,
            "d", ChronoUnit.DAYS,
            "w", ChronoUnit.WEEKS);

    private static final Map<String, ChronoUnit> WORDS = Map.of(
            "second", ChronoUnit.SECONDS,
            "minute", ChronoUnit.MINUTES,
            "hour", ChronoUnit.HOURS,
            "day", ChronoUnit.DAYS,
            "week", ChronoUnit.WEEKS,
            "month", ChronoUnit.MONTHS,
            "year", ChronoUnit.YEARS);

    private static final int MOST_DIGITS = 12;

    private Durations() {}

    /** The unit that a word names, or null. */
    static @Nullable ChronoUnit word(String text) {
        return WORDS.get(text);
    }

    /** The duration that {@code text} writes, or null if it writes none. */
    static @Nullable Duration parse(String text) {
        Duration sum = Duration.ZERO;
        ChronoUnit before = ChronoUnit.FOREVER;
        int at = 0;
        while (at < text.length()) {
            int unitAt = end(text, at, true);
            int next = end(text, unitAt, false);
            ChronoUnit unit = UNITS.get(text.substring(unitAt, next));
            if (unitAt == at || unitAt - at > MOST_DIGITS || unit == null || unit.compareTo(before) >= 0) {
                return null;
            }
            sum = sum.plus(unit.getDuration().multipliedBy(Long.parseLong(text.substring(at, unitAt))));
            before = unit;
            at = next;
        }
        return text.isEmpty() ? null : sum;
    }

    /** Where the run of digits, or of others, that begins at {@code from} ends. */
    private static int end(String text, int from, boolean digits) {
        int at = from;
        while (at < text.length() && (text.charAt(at) >= '0' && text.charAt(at) <= '9') == digits) {
            at++;
        }
        return at;
    }
}
