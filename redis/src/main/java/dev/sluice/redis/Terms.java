package dev.sluice.redis;

import dev.sluice.Limit;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The numbers of one limit as its script knows them: the registry in which each limit finds its script.
 *
 * @param algorithm the file of the script
 * @param numbers what the script is told, in the order in which it names them
 */
record Terms(Limit limit, String algorithm, List<Long> numbers) {
    private static final long TURNS_WITH_FIRST_REQUEST = 0;
    private static final long TURNS_AT_MULTIPLES = 1;
    private static final long TURNS_WITH_CALENDAR = 2;

    /** The terms of a limit when it is {@code serverMicros} on the server; leases of permits last {@code leaseMicros}. */
    static Terms of(Limit limit, long serverMicros, long leaseMicros) {
        // A chain and not a switch: patterns in switch came after Java 17.
        if (limit instanceof Limit.FixedWindow l) {
            return new Terms(limit, "fixed-window", window(l, serverMicros));
        } else if (limit instanceof Limit.SlidingWindow l) {
            long weighted = l.counting() == Limit.SlidingWindow.Counting.WEIGHTED ? 1 : 0;
            return new Terms(
                    limit, "sliding-window", List.of(micros(l.period()) / l.slices(), (long) l.slices(), weighted));
        } else if (limit instanceof Limit.SlidingLog l) {
            return new Terms(limit, "sliding-log", List.of(micros(l.period()), l.capacity()));
        } else if (limit instanceof Limit.TokenBucket l) {
            return bucket(limit, l.permits(), micros(l.period()), 0);
        } else if (limit instanceof Limit.LeakyBucket l) {
            return bucket(limit, l.permits(), micros(l.period()), l.flow() == Limit.LeakyBucket.Flow.QUEUE ? 1 : 0);
        } else {
            return new Terms(limit, "concurrency", List.of(leaseMicros));
        }
    }

    /** The most permits that may be in use for requests of this share to be admitted. */
    long room(int percent) {
        return limit.capacity() * percent / 100;
    }

    private static Terms bucket(Limit limit, long permits, long periodMicros, long queues) {
        long factor = greatestCommonFactor(permits, periodMicros);
        return new Terms(limit, "token-bucket", List.of(periodMicros / factor, permits / factor, queues));
    }

    private static List<Long> window(Limit.FixedWindow limit, long serverMicros) {
        if (limit.alignment() instanceof Limit.Alignment.Calendar calendar) {
            return List.of(
                    micros(limit.period()),
                    TURNS_WITH_CALENDAR,
                    calendar.startMicros(serverMicros),
                    calendar.endMicros(serverMicros));
        }
        boolean aligned = limit.alignment() instanceof Limit.Alignment.Epoch;
        return List.of(micros(limit.period()), aligned ? TURNS_AT_MULTIPLES : TURNS_WITH_FIRST_REQUEST, 0L, 0L);
    }

    private static long greatestCommonFactor(long a, long b) {
        return b == 0 ? a : greatestCommonFactor(b, a % b);
    }

    private static long micros(Duration period) {
        return TimeUnit.MICROSECONDS.convert(period);
    }
}
