package dev.sluice.redis.script;

import dev.sluice.Limit;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The script of one limit and its arguments.
 *
 * @param script the name of the script file
 * @param numbers the script's arguments, in the order of its {@code @numbers} line
 */
public record ScriptArguments(Limit limit, String script, List<Long> numbers) {
    private static final long AT_FIRST_REQUEST = 0;
    private static final long AT_MULTIPLES = 1;
    private static final long AT_CALENDAR_UNIT = 2;

    /** The arguments of these limits when the server's time is {@code serverMicros}. */
    static List<ScriptArguments> of(List<Limit> limits, long serverMicros, long leaseMicros) {
        Registry registry = new Registry(serverMicros, leaseMicros);
        return limits.stream().map(limit -> limit.accept(registry)).toList();
    }

    /** The most permits that may be in use after a request that may use {@code percent} of the limit. */
    long room(int percent) {
        return limit.capacity() * percent / 100;
    }

    /** The script of each algorithm, and its numbers. */
    private record Registry(long serverMicros, long leaseMicros) implements Limit.Cases<ScriptArguments> {
        @Override
        public ScriptArguments fixedWindow(Limit.FixedWindow limit) {
            long period = micros(limit.period());
            List<Long> numbers;
            if (limit.alignment() instanceof Limit.Alignment.Calendar calendar) {
                numbers = List.of(
                        period, AT_CALENDAR_UNIT, calendar.startMicros(serverMicros), calendar.endMicros(serverMicros));
            } else {
                boolean aligned = limit.alignment() instanceof Limit.Alignment.Epoch;
                numbers = List.of(period, aligned ? AT_MULTIPLES : AT_FIRST_REQUEST, 0L, 0L);
            }
            return new ScriptArguments(limit, "fixed-window", numbers);
        }

        @Override
        public ScriptArguments slidingWindow(Limit.SlidingWindow limit) {
            long slices = limit.slices();
            long weighted = limit.counting() == Limit.SlidingWindow.Counting.WEIGHTED ? 1 : 0;
            return new ScriptArguments(
                    limit, "sliding-window", List.of(micros(limit.period()) / slices, slices, weighted));
        }

        @Override
        public ScriptArguments slidingLog(Limit.SlidingLog limit) {
            return new ScriptArguments(limit, "sliding-log", List.of(micros(limit.period()), limit.capacity()));
        }

        @Override
        public ScriptArguments tokenBucket(Limit.TokenBucket limit) {
            return bucket(limit, limit.permits(), micros(limit.period()));
        }

        @Override
        public ScriptArguments leakyBucket(Limit.LeakyBucket limit) {
            return bucket(limit, limit.permits(), micros(limit.period()));
        }

        @Override
        public ScriptArguments concurrency(Limit.Concurrency limit) {
            return new ScriptArguments(limit, "concurrency", List.of(leaseMicros));
        }

        private static ScriptArguments bucket(Limit limit, long permits, long periodMicros) {
            long factor = greatestCommonFactor(permits, periodMicros);
            return new ScriptArguments(
                    limit, "token-bucket", List.of(periodMicros / factor, permits / factor, limit.delays() ? 1L : 0L));
        }
    }

    private static long greatestCommonFactor(long a, long b) {
        return b == 0 ? a : greatestCommonFactor(b, a % b);
    }

    private static long micros(Duration period) {
        return TimeUnit.MICROSECONDS.convert(period);
    }
}
