package dev.sluice.redis.wait;

import dev.sluice.Decision;
import dev.sluice.Decision.Source;
import dev.sluice.Limit;
import dev.sluice.Outcome;
import java.math.BigInteger;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongBiFunction;

/**
 * The earliest time at which a waiter can be served, from one denial and the number of permits that are wanted before it.
 *
 * <p>Why it is a bound and not the time itself: a process knows the sum of the permits that its waiters want, and what one
 * denial says of each limit, but not the state in Redis. The bound follows from what a limit admits at most. With waiters
 * that want one permit each it is exact for buckets, logs and fixed windows; otherwise a turn may come later, and a waiter is
 * refused later than it could be, at its deadline at the latest. Permits of a concurrency limit may be released at any
 * time, so they count for nothing here.
 *
 * @param limits the limits that decided
 * @param percent the share of the waiter
 */
record TurnForecast(List<Limit> limits, int percent) {
    /** Whether a request for so many permits can ever be allowed. */
    boolean fits(long permits) {
        return limits.stream().allMatch(limit -> permits <= room(limit));
    }

    /** The permits to ask about, when {@code sum} permits in all are wanted up to and with those of the waiter. */
    long cost(long sum) {
        long room = room();
        return room == 0 ? sum : (sum - 1) % room + 1;
    }

    /** The most permits that one request can get. */
    long room() {
        return limits.stream().mapToLong(this::room).min().orElse(0);
    }

    /** The time after its denial before which a request cannot be allowed, unless permits are given back. */
    long earliestMicros(Decision denied) {
        return latestOf(denied, (limit, one) -> limit.holds() ? 0 : one.retryAfterMicros());
    }

    /** The time after the denial of a request of {@code cost} before which {@code sum} permits are not to be had. */
    long earliestMicros(Decision denied, long cost, long sum) {
        return latestOf(denied, (limit, one) -> limit.accept(new Earliest(one, cost, sum, room(limit))));
    }

    /** The latest of the times that follow for each limit. */
    private long latestOf(Decision denied, ToLongBiFunction<Limit, Decision> earliest) {
        List<Decision> each = denied.perLimit();
        if (denied.source() == Source.FAILURE_POLICY || each.size() != limits.size()) {
            return holds() ? 0 : denied.retryAfterMicros();
        }
        long latest = 0;
        for (int i = 0; i < limits.size(); i++) {
            if (each.get(i).outcome() != Outcome.NEVER) {
                latest = Math.max(latest, earliest.applyAsLong(limits.get(i), each.get(i)));
            }
        }
        return latest;
    }

    /** Whether permits are held until they are released. */
    boolean holds() {
        return limits.stream().anyMatch(Limit::holds);
    }

    private long room(Limit limit) {
        return limit.capacity() * percent / 100;
    }

    /** The same for one limit; {@code room} is what the share of the waiter may use of it. */
    private record Earliest(Decision denied, long cost, long sum, long room) implements Limit.Cases<Long> {
        @Override
        public Long fixedWindow(Limit.FixedWindow limit) {
            long missing = sum - available();
            if (missing <= 0 || room == 0) {
                return denied.allowed() ? 0L : denied.retryAfterMicros();
            }
            boolean calendar = limit.alignment() instanceof Limit.Alignment.Calendar;
            long period = micros(limit.period());
            long windows = (missing - 1) / room; // full ones, after the one that is open now
            // the shortest day, month or year is more than 90 % of the longest
            return sum(endOfWindow(limit), product(windows, calendar ? period / 10 * 9 : period));
        }

        /** What can be taken now, at most: a limit that admits the cost may say what it leaves. */
        private long available() {
            return denied.remaining() + (denied.allowed() ? cost : 0);
        }

        private long endOfWindow(Limit.FixedWindow limit) {
            if (denied.resetAfterMicros() > 0) {
                return denied.resetAfterMicros();
            }
            return limit.alignment() instanceof Limit.Alignment.FirstRequest ? micros(limit.period()) : 0;
        }

        @Override
        public Long slidingWindow(Limit.SlidingWindow limit) {
            // a weighted window may admit permits one by one before it admits them all at once
            boolean strict = limit.counting() == Limit.SlidingWindow.Counting.STRICT;
            return strict ? afterPeriods(limit.period()) : 0;
        }

        @Override
        public Long slidingLog(Limit.SlidingLog limit) {
            return afterPeriods(limit.period());
        }

        /** In any period there are at most as many as there is room for. */
        private long afterPeriods(Duration period) {
            return room == 0
                    ? denied.retryAfterMicros()
                    : sum(denied.retryAfterMicros(), product((sum - cost) / room, micros(period)));
        }

        @Override
        public Long tokenBucket(Limit.TokenBucket limit) {
            return afterRefill(limit.permits(), limit.period());
        }

        @Override
        public Long leakyBucket(Limit.LeakyBucket limit) {
            return afterRefill(limit.permits(), limit.period());
        }

        /** What the bucket lacks now is in the denial, rounded up; the rest is refilled at its rate. */
        private long afterRefill(long permits, Duration period) {
            long missing =
                    denied.allowed() ? sum - available() - 1 : sum - cost; // less than one permit is in part there
            if (missing <= 0) {
                return denied.retryAfterMicros();
            }
            BigInteger refill = BigInteger.valueOf(missing)
                    .multiply(BigInteger.valueOf(micros(period)))
                    .divide(BigInteger.valueOf(permits));
            return sum(
                    denied.retryAfterMicros() - 1,
                    refill.min(BigInteger.valueOf(Long.MAX_VALUE)).longValue());
        }

        @Override
        public Long concurrency(Limit.Concurrency limit) {
            return 0L;
        }

        private static long micros(Duration period) {
            return TimeUnit.MICROSECONDS.convert(period);
        }

        private static long product(long count, long micros) {
            return count > Long.MAX_VALUE / Math.max(1, micros) ? Long.MAX_VALUE : count * micros;
        }

        private static long sum(long one, long other) {
            return one > Long.MAX_VALUE - other ? Long.MAX_VALUE : one + other;
        }
    }
}
