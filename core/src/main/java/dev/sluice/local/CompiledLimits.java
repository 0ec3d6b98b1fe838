package dev.sluice.local;

import dev.sluice.Limit;
import dev.sluice.algorithm.Algorithm;
import dev.sluice.algorithm.AllOf;
import dev.sluice.algorithm.Concurrency;
import dev.sluice.algorithm.FixedWindow;
import dev.sluice.algorithm.LeakyBucket;
import dev.sluice.algorithm.Rate;
import dev.sluice.algorithm.SlidingLog;
import dev.sluice.algorithm.SlidingWindow;
import dev.sluice.algorithm.TokenBucket;
import dev.sluice.algorithm.WindowSchedule;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The limits in force as one algorithm, for a wall clock that is {@code wallSkewMicros} ahead of the limiter's.
 *
 * @param readsWallClock whether a window follows the wall clock
 */
record CompiledLimits(List<Limit> limits, Algorithm algorithm, long wallSkewMicros, boolean readsWallClock) {
    static CompiledLimits of(List<Limit> limits, long wallSkewMicros) {
        if (limits.isEmpty()) {
            throw new IllegalArgumentException("a limiter needs at least one limit");
        }
        Compiler compiler = new Compiler(wallSkewMicros);
        List<Algorithm> algorithms =
                limits.stream().map(limit -> limit.accept(compiler)).toList();
        Algorithm one = algorithms.size() == 1 ? algorithms.get(0) : new AllOf(algorithms);
        return new CompiledLimits(limits, one, wallSkewMicros, compiler.readsWallClock);
    }

    boolean holds() {
        return limits.stream().anyMatch(Limit::holds);
    }

    boolean delays() {
        return limits.stream().anyMatch(Limit::delays);
    }

    /** The registry in which each limit finds its algorithm. */
    private static final class Compiler implements Limit.Cases<Algorithm> {
        private final long wallSkewMicros;
        private boolean readsWallClock;

        Compiler(long wallSkewMicros) {
            this.wallSkewMicros = wallSkewMicros;
        }

        @Override
        public Algorithm fixedWindow(Limit.FixedWindow limit) {
            return new FixedWindow(limit.permits(), schedule(limit));
        }

        @Override
        public Algorithm slidingWindow(Limit.SlidingWindow limit) {
            boolean weighted = limit.counting() == Limit.SlidingWindow.Counting.WEIGHTED;
            return new SlidingWindow(
                    limit.permits(), micros(limit.period()) / limit.slices(), limit.slices(), weighted);
        }

        @Override
        public Algorithm slidingLog(Limit.SlidingLog limit) {
            return new SlidingLog(limit.permits(), micros(limit.period()));
        }

        @Override
        public Algorithm tokenBucket(Limit.TokenBucket limit) {
            return new TokenBucket(Rate.of(limit.permits(), micros(limit.period()), limit.burst()));
        }

        @Override
        public Algorithm leakyBucket(Limit.LeakyBucket limit) {
            Rate rate = Rate.of(limit.permits(), micros(limit.period()), limit.capacity());
            return limit.delays() ? LeakyBucket.queue(rate) : LeakyBucket.meter(rate);
        }

        @Override
        public Algorithm concurrency(Limit.Concurrency limit) {
            return new Concurrency(limit.permits());
        }

        private WindowSchedule schedule(Limit.FixedWindow limit) {
            if (limit.alignment() instanceof Limit.Alignment.FirstRequest) {
                return WindowSchedule.fromFirstRequest(micros(limit.period()));
            }
            readsWallClock = true;
            return limit.alignment() instanceof Limit.Alignment.Calendar calendar
                    ? WindowSchedule.byCalendar(calendar.unit(), calendar.zone(), wallSkewMicros)
                    : WindowSchedule.atMultiples(micros(limit.period()), wallSkewMicros);
        }

        private static long micros(Duration period) {
            return TimeUnit.MICROSECONDS.convert(period);
        }
    }
}
