package dev.sluice.contract;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.spi.LimiterDecision;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicIntegerArray;

/** Law 10, and law 1 again: many threads on one key. */
final class Contention {
    private static final int THREADS = 4;
    /** As many as can run at once, so that none waits for another to be scheduled. */
    private static final int RACERS =
            Math.max(2, Math.min(THREADS, Runtime.getRuntime().availableProcessors()));

    private static final int ROUNDS = 40;
    private static final ExecutorService POOL = Executors.newFixedThreadPool(THREADS, Contention::daemon);

    private Contention() {}

    @FunctionalInterface
    interface Race {
        void run(Subject subject, LimitFamily family, Random random, Tally tally);
    }

    private static Thread daemon(Runnable work) {
        Thread thread = new Thread(work, "contention");
        thread.setDaemon(true);
        return thread;
    }

    /** At one instant, k calls on n permits admit exactly min(k, n): many times over, each time on the last few. */
    static void admitsExactly(Subject subject, LimitFamily family, Random random, Tally tally) {
        List<Limit> limits = family.random(random);
        Limiter limiter = subject.create(new FakeClock(random.nextInt(1_000_000)), limits.toArray(new Limit[0]));
        long capacity = limits.stream().mapToLong(Limit::capacity).min().orElseThrow();
        long[] left =
                random.longs(ROUNDS, 1, Math.min(capacity, 2L * RACERS) + 1).toArray();
        int[] calls = random.ints(ROUNDS, 1, 4).toArray();
        for (int round = 0; round < ROUNDS; round++) {
            limiter.decide("round " + round, capacity - left[round]);
        }
        AtomicIntegerArray lined = new AtomicIntegerArray(ROUNDS);
        AtomicIntegerArray admitted = new AtomicIntegerArray(ROUNDS);
        Callable<List<Void>> racer = () -> {
            for (int round = 0; round < ROUNDS; round++) {
                String key = "round " + round;
                lineUp(lined, round);
                for (int i = 0; i < calls[round]; i++) {
                    if (limiter.decide(key, 1).allowed()) {
                        admitted.incrementAndGet(round);
                    }
                    tally.step();
                }
            }
            return List.of();
        };
        all(Collections.nCopies(RACERS, racer));
        for (int round = 0; round < ROUNDS; round++) {
            long expected = Math.min(left[round], (long) RACERS * calls[round]);
            LawBroken.unless(
                    admitted.get(round) == expected,
                    "%d calls on %d permits of %s admitted %d, not %d",
                    RACERS * calls[round],
                    left[round],
                    limits,
                    admitted.get(round),
                    expected);
        }
    }

    /** Waits until every racer is here, in a spin, so that they start as close together as can be. */
    @SuppressWarnings("ThreadPriorityCheck") // The others may need this very processor to get here.
    private static void lineUp(AtomicIntegerArray lined, int round) {
        lined.incrementAndGet(round);
        for (int spins = 0; lined.get(round) < RACERS; spins++) {
            if (spins < 1000) {
                Thread.onSpinWait();
            } else {
                Thread.yield();
            }
        }
    }

    /** While the clock moves, also back, what was given out stays within the bound. */
    static void keepsTheBound(Subject subject, LimitFamily family, Random random, Tally tally) {
        List<Limit> limits = family.random(random);
        FakeClock clock = new FakeClock(1_700_000_000_000_000L);
        Limiter limiter = subject.create(clock, limits.toArray(new Limit[0]));
        long least = limits.stream().mapToLong(Limit::capacity).min().orElseThrow();
        long most = limits.stream()
                .mapToLong(l -> Rhythm.of(l).memoryMicros())
                .max()
                .orElseThrow();
        // A thread that has read the clock may come to its turn long after, by this clock. If its key was dropped
        // meanwhile, nobody can put its permits in order any more; the one key is never dropped.
        String key = most < 100_000 ? "a" : "";
        long[] seeds = random.longs(THREADS).toArray();
        List<Callable<List<Decision>>> works = new ArrayList<>();
        for (long seed : seeds) {
            works.add(() -> {
                Random own = new Random(seed);
                List<Decision> admitted = new ArrayList<>();
                for (int i = 0; i < 40; i++) {
                    if (own.nextInt(3) == 0) {
                        clock.advance(own.nextLong(most / 8 + 2) - (own.nextInt(4) == 0 ? most / 20 + 1 : 0));
                    }
                    Decision decision = limiter.decide(key, 1 + own.nextLong(1 + least / 3));
                    tally.step();
                    if (decision.allowed()) {
                        admitted.add(decision);
                    }
                }
                return admitted;
            });
        }
        List<Grant> grants = all(works).stream()
                .map(LimiterDecision::of)
                .sorted(Comparator.comparingLong(LimiterDecision::takenAtMicros))
                .map(decision -> new Grant(key, decision.takenAtMicros(), decision))
                .toList();
        for (Limit limit : limits) {
            boolean queue = limit.delays();
            // Of two decisions at one instant nobody can say which came first, so their delays are left alone.
            Bound.check(queue ? meter((Limit.LeakyBucket) limit) : limit, grants);
        }
    }

    private static Limit meter(Limit.LeakyBucket queue) {
        return Limit.leakyBucket(queue.permits(), queue.period()).capacity(queue.capacity());
    }

    private static <T> List<T> all(List<Callable<List<T>>> works) {
        List<T> results = new ArrayList<>();
        try {
            for (Future<List<T>> future : POOL.invokeAll(works)) {
                results.addAll(future.get());
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(interrupted);
        } catch (ExecutionException thrown) {
            throw new IllegalStateException(thrown.getCause());
        }
        return results;
    }
}
