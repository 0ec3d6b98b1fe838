package dev.sluice.algorithm;

import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/** When a fixed window that is open at some instant ends. */
public sealed interface WindowSchedule {
    /** The end of a window that is open, or opens, at {@code now}. */
    long endAfter(long now);

    /** The start of the window that ends at {@code end}. */
    long startOf(long end);

    /** The end, on this turn's terms, of a window that was to end at {@code end} on {@code old}'s terms. */
    long migratedEnd(WindowSchedule old, long end, long now);

    /** A window opens with its first request and lasts one period. */
    static WindowSchedule fromFirstRequest(long periodMicros) {
        return new FromFirstRequest(periodMicros);
    }

    /** Windows turn at whole multiples of the period, by a wall clock that is {@code skewMicros} ahead of ours. */
    static WindowSchedule atMultiples(long periodMicros, long skewMicros) {
        return new AtMultiples(periodMicros, skewMicros);
    }

    /** Windows turn with the calendar of a zone, by a wall clock that is {@code skewMicros} ahead of ours. */
    static WindowSchedule byCalendar(ChronoUnit unit, ZoneId zone, long skewMicros) {
        return new ByCalendar(unit, zone, skewMicros);
    }

    record FromFirstRequest(long periodMicros) implements WindowSchedule {
        @Override
        public long endAfter(long now) {
            return now + periodMicros;
        }

        @Override
        public long startOf(long end) {
            return end - periodMicros;
        }

        @Override
        public long migratedEnd(WindowSchedule old, long end, long now) {
            long longest = now + periodMicros;
            return old instanceof FromFirstRequest before && before.periodMicros < periodMicros && now < end
                    ? Math.min(end + periodMicros - before.periodMicros, longest)
                    : Math.min(end, longest);
        }
    }

    record AtMultiples(long periodMicros, long skewMicros) implements WindowSchedule {
        @Override
        public long endAfter(long now) {
            long wall = now + skewMicros;
            return (Math.floorDiv(wall, periodMicros) + 1) * periodMicros - skewMicros;
        }

        @Override
        public long startOf(long end) {
            return end - periodMicros;
        }

        @Override
        public long migratedEnd(WindowSchedule old, long end, long now) {
            if (old instanceof AtMultiples before && before.periodMicros == periodMicros) {
                return end + before.skewMicros - skewMicros;
            }
            return now < end ? endAfter(now) : end;
        }
    }

    /** A day is what the zone says it is, 23 or 25 hours where clocks change; a week starts on Monday. */
    final class ByCalendar implements WindowSchedule {
        private final ChronoUnit unit;
        private final ZoneId zone;
        private final long skewMicros;
        /** The span last asked for: calendars are slow, and most calls fall into the same one. */
        private volatile @Nullable CalendarUnit span;

        ByCalendar(ChronoUnit unit, ZoneId zone, long skewMicros) {
            this.unit = unit;
            this.zone = zone;
            this.skewMicros = skewMicros;
        }

        @Override
        public long endAfter(long now) {
            return spanOf(now).end() - skewMicros;
        }

        @Override
        public long startOf(long end) {
            return end == State.ANCIENT ? end : spanOf(end - 1).start() - skewMicros;
        }

        @Override
        public long migratedEnd(WindowSchedule old, long end, long now) {
            if (old instanceof ByCalendar before && before.unit == unit && before.zone.equals(zone)) {
                return end + before.skewMicros - skewMicros;
            }
            return now < end ? endAfter(now) : end;
        }

        private CalendarUnit spanOf(long now) {
            long wall = now + skewMicros;
            CalendarUnit known = span;
            if (known == null || !known.contains(wall)) {
                known = CalendarUnit.at(unit, zone, wall);
                span = known;
            }
            return known;
        }
    }
}
