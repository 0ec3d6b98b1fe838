package dev.sluice.local;

import dev.sluice.Limit;
import dev.sluice.algorithm.Algorithm;
import dev.sluice.algorithm.AllOf;
import dev.sluice.algorithm.Concurrency;
import dev.sluice.algorithm.FixedWindow;
import dev.sluice.algorithm.LeakyBucket;
import dev.sluice.algorithm.Lineage;
import dev.sluice.algorithm.Rate;
import dev.sluice.algorithm.SlidingLog;
import dev.sluice.algorithm.SlidingWindow;
import dev.sluice.algorithm.TokenBucket;
import dev.sluice.algorithm.WindowSchedule;
import dev.sluice.spi.LimitChange;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;

/**
 * The limits in force as one algorithm, for a wall clock that is {@code wallSkewMicros} ahead of the limiter's.
 *
 * @param lineages which limit each of them is, while the limits change
 * @param nextId the first id that no lineage has had
 * @param readsWallClock whether a window follows the wall clock
 */
record CompiledLimits(
        List<Limit> limits,
        Algorithm algorithm,
        List<Lineage> lineages,
        long nextId,
        long wallSkewMicros,
        boolean readsWallClock) {
    static CompiledLimits of(List<Limit> limits, long wallSkewMicros) {
        List<Lineage> lineages = LongStream.range(0, limits.size())
                .mapToObj(id -> new Lineage(id, 0))
                .toList();
        return of(limits, lineages, limits.size(), wallSkewMicros);
    }

    private static CompiledLimits of(List<Limit> limits, List<Lineage> lineages, long nextId, long wallSkewMicros) {
        if (limits.isEmpty()) {
            throw new IllegalArgumentException("a limiter needs at least one limit");
        }
        List<Algorithm> algorithms = new ArrayList<>();
        boolean readsWallClock = false;
        for (int i = 0; i < limits.size(); i++) {
            Compiler compiler = new Compiler(wallSkewMicros, lineages.get(i));
            algorithms.add(limits.get(i).accept(compiler));
            readsWallClock |= compiler.readsWallClock;
        }
        Algorithm one = algorithms.size() == 1 ? algorithms.get(0) : new AllOf(algorithms);
        return new CompiledLimits(limits, one, lineages, nextId, wallSkewMicros, readsWallClock);
    }

    /** Other limits after these. */
    CompiledLimits changedTo(List<Limit> next) {
        List<Optional<Integer>> continued = LimitChange.continued(limits, next);
        List<Lineage> then = new ArrayList<>();
        long id = nextId;
        for (int i = 0; i < next.size(); i++) {
            if (continued.get(i).isEmpty()) {
                then.add(new Lineage(id++, 0));
            } else {
                int from = continued.get(i).get();
                boolean same = LimitChange.keepsRefunds(limits.get(from), next.get(i));
                then.add(same ? lineages.get(from) : lineages.get(from).nextEra());
            }
        }
        return of(next, List.copyOf(then), id, wallSkewMicros);
    }

    /** The same limits for a wall clock that is ahead by {@code skewMicros}. */
    CompiledLimits withWallSkew(long skewMicros) {
        return of(limits, lineages, nextId, skewMicros);
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
        private final Lineage lineage;
        private boolean readsWallClock;

        Compiler(long wallSkewMicros, Lineage lineage) {
            this.wallSkewMicros = wallSkewMicros;
            this.lineage = lineage;
        }

        @Override
        public Algorithm fixedWindow(Limit.FixedWindow limit) {
            return new FixedWindow(limit.permits(), schedule(limit), lineage);
        }

        @Override
        public Algorithm slidingWindow(Limit.SlidingWindow limit) {
            boolean weighted = limit.counting() == Limit.SlidingWindow.Counting.WEIGHTED;
            return new SlidingWindow(
                    limit.permits(), micros(limit.period()) / limit.slices(), limit.slices(), weighted, lineage);
        }

        @Override
        public Algorithm slidingLog(Limit.SlidingLog limit) {
            return new SlidingLog(limit.permits(), micros(limit.period()), lineage);
        }

        @Override
        public Algorithm tokenBucket(Limit.TokenBucket limit) {
            return new TokenBucket(Rate.of(limit.permits(), micros(limit.period()), limit.burst()), lineage);
        }

        @Override
        public Algorithm leakyBucket(Limit.LeakyBucket limit) {
            Rate rate = Rate.of(limit.permits(), micros(limit.period()), limit.capacity());
            return limit.delays() ? LeakyBucket.queue(rate, lineage) : LeakyBucket.meter(rate, lineage);
        }

        @Override
        public Algorithm concurrency(Limit.Concurrency limit) {
            return new Concurrency(limit.permits(), lineage);
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
