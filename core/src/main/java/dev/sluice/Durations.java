package dev.sluice;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Reads and writes durations as rule files have them: {@code 500ms}, {@code 1m}, {@code 1h30m}, {@code 1w}. */
public final class Durations {
    /** What a message says was expected in place of a text that is no duration. */
    public static final String EXPECTED = "a duration such as 500ms, 30s, 1m, 1h30m, 1d or 1w";

    /** From the longest to the shortest. */
    private static final Unit[] UNITS = {
        new Unit("w", ChronoUnit.WEEKS),
        new Unit("d", ChronoUnit.DAYS),
        new Unit("h", ChronoUnit.HOURS),
        new Unit("m", ChronoUnit.MINUTES),
        new Unit("s", ChronoUnit.SECONDS),
        new Unit("ms", ChronoUnit.MILLIS),
        new Unit("us", ChronoUnit.MICROS),
    };

    private static final Map<String, ChronoUnit> WORDS = Map.of(
            "second", ChronoUnit.SECONDS,
            "minute", ChronoUnit.MINUTES,
            "hour", ChronoUnit.HOURS,
            "day", ChronoUnit.DAYS,
            "week", ChronoUnit.WEEKS,
            "month", ChronoUnit.MONTHS,
            "year", ChronoUnit.YEARS);

    private static final int MAX_DIGITS = 15;

    private record Unit(String suffix, ChronoUnit unit) {
        long micros() {
            return TimeUnit.MICROSECONDS.convert(unit.getDuration());
        }
    }

    private Durations() {}

    /** Reads a duration; null if {@code text} is none, or one longer than a {@link Duration}. */
    public static @Nullable Duration parse(String text) {
        try {
            return sum(text);
        } catch (ArithmeticException tooLong) {
            return null;
        }
    }

    private static @Nullable Duration sum(String text) {
        Duration sum = Duration.ZERO;
        int shorterThan = -1;
        int at = 0;
        while (at < text.length()) {
            int suffixAt = endOfRun(text, at, true);
            int next = endOfRun(text, suffixAt, false);
            int unit = indexOf(text.substring(suffixAt, next));
            if (suffixAt == at || suffixAt - at > MAX_DIGITS || unit <= shorterThan) {
                return null;
            }
            long count = Long.parseLong(text.substring(at, suffixAt));
            sum = sum.plus(UNITS[unit].unit().getDuration().multipliedBy(count));
            shorterThan = unit;
            at = next;
        }
        return text.isEmpty() ? null : sum;
    }

    /**
     * Reads a duration.
     *
     * @param name what the message calls it
     * @throws IllegalArgumentException if {@code text} is none
     */
    public static Duration parse(String name, String text) {
        Duration duration = parse(text);
        if (duration == null) {
            throw new IllegalArgumentException(name + " must be " + EXPECTED + ", was '" + text + "'");
        }
        return duration;
    }

    /**
     * Writes a duration in the longest unit that needs no fraction. Parts of a microsecond are rounded up.
     *
     * @throws IllegalArgumentException if it is negative or over 292,000 years
     */
    public static String text(Duration duration) {
        long whole = TimeUnit.MICROSECONDS.convert(duration);
        if (duration.isNegative() || whole == Long.MAX_VALUE) {
            throw new IllegalArgumentException("a duration must be 0 to 292,000 years, was " + duration);
        }
        long micros = duration.toNanosPart() % 1000 == 0 ? whole : whole + 1;
        for (Unit unit : UNITS) {
            if (micros % unit.micros() == 0 && (micros != 0 || unit.unit() == ChronoUnit.SECONDS)) {
                return micros / unit.micros() + unit.suffix();
            }
        }
        throw new AssertionError("every number is a multiple of one microsecond");
    }

    /** The unit that a word such as {@code minute} or {@code month} names; null if it names none. */
    public static @Nullable ChronoUnit unit(String word) {
        return WORDS.get(word);
    }

    /** The word that names a unit, from {@code second} to {@code year}. */
    public static String word(ChronoUnit unit) {
        for (Map.Entry<String, ChronoUnit> word : WORDS.entrySet()) {
            if (word.getValue() == unit) {
                return word.getKey();
            }
        }
        throw new IllegalArgumentException("unit must be from SECONDS to YEARS, was " + unit);
    }

    /** The place of a unit among all; -1 if there is none of this suffix. */
    private static int indexOf(String suffix) {
        for (int i = 0; i < UNITS.length; i++) {
            if (UNITS[i].suffix().equals(suffix)) {
                return i;
            }
        }
        return -1;
    }

    /** Where the run of digits, or of anything else, that begins at {@code from} ends. */
    private static int endOfRun(String text, int from, boolean digits) {
        int at = from;
        while (at < text.length() && (text.charAt(at) >= '0' && text.charAt(at) <= '9') == digits) {
            at++;
        }
        return at;
    }
}
