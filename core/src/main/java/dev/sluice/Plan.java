package dev.sluice;

import dev.sluice.algorithm.Algorithm;
import dev.sluice.algorithm.AllOf;
import dev.sluice.algorithm.Concurrency;
import dev.sluice.algorithm.FixedWindow;
import dev.sluice.algorithm.LeakyBucket;
import dev.sluice.algorithm.Rate;
import dev.sluice.algorithm.SlidingLog;
import dev.sluice.algorithm.SlidingWindow;
import dev.sluice.algorithm.TokenBucket;
import dev.sluice.algorithm.Turn;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The limits in force, as algorithms: the registry in which each limit finds its algorithm. */
record Plan(List<Limit> limits, Algorithm algorithm, long wallSkewMicros) {
    /** The plan for these limits when the wall clock is {@code wallSkewMicros} ahead of the limiter's. */
    static Plan of(List<Limit> limits, long wallSkewMicros) {
        if (limits.isEmpty()) {
            throw new IllegalArgumentException("a limiter needs at least one limit");
        }
        List<Algorithm> algorithms =
                limits.stream().map(limit -> algorithm(limit, wallSkewMicros)).toList();
        Algorithm one = algorithms.size() == 1 ? algorithms.get(0) : new AllOf(algorithms);
        return new Plan(limits, one, wallSkewMicros);
    }

    /** Whether permits are held until released. */
    boolean holds() {
        return limits.stream().anyMatch(Limit.Concurrency.class::isInstance);
    }

    /** Whether work may be admitted with a delay. */
    boolean delays() {
        return limits.stream()
                .anyMatch(limit ->
                        limit instanceof Limit.LeakyBucket leaky && leaky.flow() == Limit.LeakyBucket.Flow.QUEUE);
    }

    /** Whether a window turns by the wall clock. */
    boolean readsWallClock() {
        return limits.stream()
                .anyMatch(limit -> limit instanceof Limit.FixedWindow window
                        && !(window.alignment() instanceof Limit.Alignment.FirstRequest));
    }

    private static Algorithm algorithm(Limit limit, long skew) {
        // A chain and not a switch: patterns in switch came after Java 17.
        if (limit instanceof Limit.FixedWindow l) {
            return new FixedWindow(l.permits(), turn(l, skew));
        } else if (limit instanceof Limit.SlidingWindow l) {
            boolean weighted = l.counting() == Limit.SlidingWindow.Counting.WEIGHTED;
            return new SlidingWindow(l.permits(), micros(l.period()) / l.slices(), l.slices(), weighted);
        } else if (limit instanceof Limit.SlidingLog l) {
            return new SlidingLog(l.permits(), micros(l.period()));
        } else if (limit instanceof Limit.TokenBucket l) {
            return new TokenBucket(Rate.of(l.permits(), micros(l.period()), l.burst()));
        } else if (limit instanceof Limit.LeakyBucket l) {
            Rate rate = Rate.of(l.permits(), micros(l.period()), l.capacity());
            return l.flow() == Limit.LeakyBucket.Flow.QUEUE ? LeakyBucket.queue(rate) : LeakyBucket.meter(rate);
        } else {
            return new Concurrency(((Limit.Concurrency) limit).permits());
        }
    }

    private static Turn turn(Limit.FixedWindow window, long skew) {
        if (window.alignment() instanceof Limit.Alignment.Calendar calendar) {
            return Turn.withCalendar(calendar.unit(), calendar.zone(), skew);
        }
        return window.alignment() instanceof Limit.Alignment.Epoch
                ? Turn.atMultiples(micros(window.period()), skew)
                : Turn.afterFirst(micros(window.period()));
    }

    private static long micros(Duration period) {
        return TimeUnit.MICROSECONDS.convert(period);
    }
}
