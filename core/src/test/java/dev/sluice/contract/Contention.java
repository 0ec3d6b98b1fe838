package dev.sluice.contract;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.Limiter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Law 10, and law 1 again: many threads on one key. */
final class Contention {
    private static final int THREADS = 4;
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

    /** At one instant, k calls on n permits admit exactly min(k, n). */
    static void admitsExactly(Subject subject, LimitFamily family, Random random, Tally tally) {
        List<Limit> limits = family.random(random);
        FakeClock clock = new FakeClock(random.nextInt(1_000_000));
        Limiter limiter = subject.create(clock, limits.toArray(new Limit[0]));
        long capacity = limits.stream().mapToLong(Limit::capacity).min().orElseThrow();
        long each = capacity < 100 ? 1 : capacity / 50;
        long n = capacity / each;
        int callsEach = (int) ((n + random.nextInt((int) n + 2)) / THREADS) + 1;
        List<Decision> decisions = race(tally, callsEach, () -> limiter.decide("a", each));
        long admitted = decisions.stream().filter(Decision::allowed).count();
        long expected = Math.min(n, (long) THREADS * callsEach);
        LawBroken.unless(
                admitted == expected,
                "%d calls of %d permits on %s admitted %d, not %d",
                THREADS * callsEach,
                each,
                limits,
                admitted,
                expected);
        long distinct = decisions.stream()
                .filter(Decision::allowed)
                .mapToLong(Decision::remaining)
                .distinct()
                .count();
        LawBroken.unless(distinct == expected, "%d admitted, but only %d answers as if one by one", admitted, distinct);
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
                .sorted(Comparator.comparingLong(Decision::takenAtMicros))
                .map(decision -> new Grant(key, decision.takenAtMicros(), decision))
                .toList();
        for (Limit limit : limits) {
            boolean queue = limit instanceof Limit.LeakyBucket b && b.flow() == Limit.LeakyBucket.Flow.QUEUE;
            // Of two decisions at one instant nobody can say which came first, so their delays are left alone.
            Bound.check(queue ? meter((Limit.LeakyBucket) limit) : limit, grants);
        }
    }

    private static Limit meter(Limit.LeakyBucket queue) {
        return Limit.leakyBucket(queue.permits(), queue.period()).capacity(queue.capacity());
    }

    private static List<Decision> race(Tally tally, int callsEach, Callable<Decision> call) {
        CountDownLatch start = new CountDownLatch(THREADS);
        List<Callable<List<Decision>>> works = new ArrayList<>();
        for (int thread = 0; thread < THREADS; thread++) {
            works.add(() -> {
                List<Decision> decisions = new ArrayList<>();
                start.countDown();
                start.await();
                for (int i = 0; i < callsEach; i++) {
                    decisions.add(call.call());
                    tally.step();
                }
                return decisions;
            });
        }
        return all(works);
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
