package dev.sluice.algorithm;

import java.time.DayOfWeek;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.time.temporal.TemporalAdjusters;
import java.util.concurrent.TimeUnit;

/** One minute, hour, day, week, month or year of a calendar: its start and its end, in microseconds since 1970. */
public record CalendarUnit(long start, long end) {
    /** The unit of the calendar in {@code zone} that {@code wallMicros} falls into. */
    public static CalendarUnit at(ChronoUnit unit, ZoneId zone, long wallMicros) {
        ZonedDateTime time = Instant.EPOCH.plus(wallMicros, ChronoUnit.MICROS).atZone(zone);
        if (unit == ChronoUnit.MINUTES || unit == ChronoUnit.HOURS) {
            ZonedDateTime start = time.truncatedTo(unit);
            return new CalendarUnit(micros(start), micros(start.plus(1, unit)));
        }
        LocalDate day = time.toLocalDate();
        LocalDate first = switch (unit) {
            case WEEKS -> day.with(TemporalAdjusters.previousOrSame(DayOfWeek.MONDAY));
            case MONTHS -> day.withDayOfMonth(1);
            case YEARS -> day.withDayOfYear(1);
            default -> day;
        };
        return new CalendarUnit(
                micros(first.atStartOfDay(zone)), micros(first.plus(1, unit).atStartOfDay(zone)));
    }

    boolean contains(long wallMicros) {
        return start <= wallMicros && wallMicros < end;
    }

    private static long micros(ZonedDateTime time) {
        return TimeUnit.SECONDS.toMicros(time.toEpochSecond());
    }
}
