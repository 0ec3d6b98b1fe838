package dev.sluice.simulate.suggest;

import dev.sluice.simulate.suggest.traffic.Events;
import dev.sluice.simulate.suggest.traffic.ObservedTraffic;
import java.time.DayOfWeek;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * A part of a log.
 *
 * @param lengthMicros how long it is without a break
 * @param contains whether a time is in it; null if every time is
 */
record LogPart(long lengthMicros, @Nullable LongPredicate contains) {
    private static final long DAY = 86_400_000_000L;
    private static final int WEEK = 7;

    static LogPart whole(ObservedTraffic traffic) {
        return new LogPart(traffic.spanMicros(), null);
    }

    /** The halves, and the days of the week if the log has each of them. */
    static List<LogPart> of(ObservedTraffic traffic, ZoneId zone) {
        long half = traffic.spanMicros() / 2;
        long middle = traffic.firstMicros() + half;
        List<LogPart> parts = new ArrayList<>();
        parts.add(new LogPart(half, micros -> micros < middle));
        parts.add(new LogPart(half, micros -> micros >= middle));
        if (traffic.spanMicros() >= Thresholds.WINDOW_IN_LOG * WEEK * DAY) {
            long offset =
                    zone.getRules().getOffset(instant(traffic.firstMicros())).getTotalSeconds() * 1_000_000L;
            for (DayOfWeek day : DayOfWeek.values()) {
                parts.add(new LogPart(DAY, micros -> weekday(micros + offset) == day));
            }
        }
        return parts;
    }

    /** Those of a client's requests that are in it: all of them, or what it writes to {@code buffer}. */
    Events of(Events all, Events buffer) {
        if (contains == null) {
            return all;
        }
        buffer.reset();
        for (int i = 0; i < all.count(); i++) {
            if (contains.test(all.time(i))) {
                buffer.add(all.time(i), all.mark(i));
            }
        }
        return buffer;
    }

    private static DayOfWeek weekday(long micros) {
        return LocalDate.EPOCH.getDayOfWeek().plus(Math.floorDiv(micros, DAY));
    }

    private static Instant instant(long micros) {
        return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
    }
}
