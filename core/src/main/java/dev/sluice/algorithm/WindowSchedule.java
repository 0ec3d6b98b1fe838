package dev.sluice.algorithm;

import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/** When fixed windows start and end. */
public sealed interface WindowSchedule {
    /** The end of a window that is open, or opens, at {@code now}. */
    long endAfter(long now);

    /** The start of the window that ends at {@code end}. */
    long startOf(long end);

    /** The end under this schedule of a window that would have ended at {@code end} under {@code old}. */
    long migratedEnd(WindowSchedule old, long end, long now);

    /** A window opens with its first request and lasts one period. */
    static WindowSchedule fromFirstRequest(long periodMicros) {
        return new FromFirstRequest(periodMicros);
    }

    /** Windows start at whole multiples of the period, on a wall clock that is {@code skewMicros} ahead of ours. */
    static WindowSchedule atMultiples(long periodMicros, long skewMicros) {
        return new AtMultiples(periodMicros, skewMicros);
    }

    /** Windows are the units of a calendar, on a wall clock that is {@code skewMicros} ahead of ours. */
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

    /** A day has 23 or 25 hours where the zone changes its clocks; a week starts on Monday. */
    final class ByCalendar implements WindowSchedule {
        private final ChronoUnit unit;
        private final ZoneId zone;
        private final long skewMicros;
        /** The unit last asked for: calendars are slow, and most calls fall into the same unit. */
        private volatile @Nullable CalendarUnit current;

        ByCalendar(ChronoUnit unit, ZoneId zone, long skewMicros) {
            this.unit = unit;
            this.zone = zone;
            this.skewMicros = skewMicros;
        }

        @Override
        public long endAfter(long now) {
            return unitAt(now).end() - skewMicros;
        }

        @Override
        public long startOf(long end) {
            return end == State.ANCIENT ? end : unitAt(end - 1).start() - skewMicros;
        }

        @Override
        public long migratedEnd(WindowSchedule old, long end, long now) {
            if (old instanceof ByCalendar before && before.unit == unit && before.zone.equals(zone)) {
                return end + before.skewMicros - skewMicros;
            }
            return now < end ? endAfter(now) : end;
        }

        private CalendarUnit unitAt(long now) {
            long wall = now + skewMicros;
            CalendarUnit known = current;
            if (known == null || !known.contains(wall)) {
                known = CalendarUnit.at(unit, zone, wall);
                current = known;
            }
            return known;
        }
    }
}
