package dev.sluice.redis.script;

import dev.sluice.Limit;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The arguments of one limit: the registry in which each kind of limit finds its script.
 *
 * @param algorithm the name of the script file
 * @param numbers the script's arguments, in the order of its {@code @numbers} line
 */
public record ScriptArguments(Limit limit, String algorithm, List<Long> numbers) {
    private static final long STARTS_WITH_FIRST_REQUEST = 0;
    private static final long STARTS_AT_MULTIPLES = 1;
    private static final long STARTS_WITH_CALENDAR = 2;

    /** The arguments of these limits when the server's time is {@code serverMicros}. */
    static List<ScriptArguments> of(List<Limit> limits, long serverMicros, long leaseMicros) {
        return limits.stream()
                .map(limit -> of(limit, serverMicros, leaseMicros))
                .toList();
    }

    private static ScriptArguments of(Limit limit, long serverMicros, long leaseMicros) {
        // A chain and not a switch: patterns in switch came after Java 17.
        if (limit instanceof Limit.FixedWindow l) {
            return new ScriptArguments(limit, "fixed-window", window(l, serverMicros));
        } else if (limit instanceof Limit.SlidingWindow l) {
            long weighted = l.counting() == Limit.SlidingWindow.Counting.WEIGHTED ? 1 : 0;
            return new ScriptArguments(
                    limit, "sliding-window", List.of(micros(l.period()) / l.slices(), (long) l.slices(), weighted));
        } else if (limit instanceof Limit.SlidingLog l) {
            return new ScriptArguments(limit, "sliding-log", List.of(micros(l.period()), l.capacity()));
        } else if (limit instanceof Limit.TokenBucket l) {
            return bucket(limit, l.permits(), micros(l.period()), 0);
        } else if (limit instanceof Limit.LeakyBucket l) {
            return bucket(limit, l.permits(), micros(l.period()), l.flow() == Limit.LeakyBucket.Flow.QUEUE ? 1 : 0);
        } else {
            return new ScriptArguments(limit, "concurrency", List.of(leaseMicros));
        }
    }

    /** The most permits that may be in use after a request that may use {@code percent} of the limit. */
    long room(int percent) {
        return limit.capacity() * percent / 100;
    }

    private static ScriptArguments bucket(Limit limit, long permits, long periodMicros, long queues) {
        long factor = greatestCommonFactor(permits, periodMicros);
        return new ScriptArguments(limit, "token-bucket", List.of(periodMicros / factor, permits / factor, queues));
    }

    private static List<Long> window(Limit.FixedWindow limit, long serverMicros) {
        if (limit.alignment() instanceof Limit.Alignment.Calendar calendar) {
            return List.of(
                    micros(limit.period()),
                    STARTS_WITH_CALENDAR,
                    calendar.startMicros(serverMicros),
                    calendar.endMicros(serverMicros));
        }
        boolean aligned = limit.alignment() instanceof Limit.Alignment.Epoch;
        return List.of(micros(limit.period()), aligned ? STARTS_AT_MULTIPLES : STARTS_WITH_FIRST_REQUEST, 0L, 0L);
    }

    private static long greatestCommonFactor(long a, long b) {
        return b == 0 ? a : greatestCommonFactor(b, a % b);
    }

    private static long micros(Duration period) {
        return TimeUnit.MICROSECONDS.convert(period);
    }
}
