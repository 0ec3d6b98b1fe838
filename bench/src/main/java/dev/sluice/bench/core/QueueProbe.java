package dev.sluice.bench.core;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.bench.report.Measurements;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;

/**
 * What it costs to join and to leave a wait queue of many, in nanoseconds for each, made in a JVM of its own: all join one
 * after another, and then leave in random order.
 */
@SuppressWarnings("ImmutableEnumChecker") // limits are immutable
enum QueueProbe {
    CONCURRENCY("sluice concurrency", Limit.concurrency(1)),
    TOKEN_BUCKET("sluice token bucket", Limit.tokenBucket(1, Duration.ofHours(1))),
    SLIDING_LOG("sluice sliding log", Limit.slidingLog(1, Duration.ofHours(1)));

    static final String JOIN = "join";
    static final String LEAVE = "leave";

    /** The number of waiters, by which the queue is called in the tables. */
    static final int WAITERS = 100_000;

    private static final int ROUNDS = 5;
    private static final Duration FOR_LONG = Duration.ofDays(36_500);

    final String label;
    private final Limit limit;

    QueueProbe(String label, Limit limit) {
        this.label = label;
        this.limit = limit;
    }

    @Override
    public String toString() {
        return "wait queue, " + label;
    }

    String fork(Measurements figures) {
        Map<String, Long> measured = Forks.figures(QueueProbe.class, name());
        measured.forEach((figure, value) -> figures.add(this, figure, value));
        return measured.toString();
    }

    public static void main(String[] args) {
        valueOf(args[0]).measure(WAITERS).forEach((name, value) -> System.out.println(name + "=" + value));
    }

    /** The figures of the last round: the ones before warm up. */
    Map<String, Long> measure(int waiters) {
        Map<String, Long> figures = new LinkedHashMap<>();
        for (int round = 0; round < ROUNDS; round++) {
            Limiter limiter = Limiter.local(limit);
            Expect.allowed(limiter.decide("k").allowed());
            List<CompletableFuture<Decision>> waits = new ArrayList<>(waiters);
            long start = System.nanoTime();
            for (int i = 0; i < waiters; i++) {
                waits.add(limiter.acquireAsync("k", 1, FOR_LONG));
            }
            figures.put(JOIN, (System.nanoTime() - start) / waiters);
            Collections.shuffle(waits, new Random(round));
            start = System.nanoTime();
            for (CompletableFuture<Decision> wait : waits) {
                Expect.allowed(wait.cancel(false)); // it was still waiting
            }
            figures.put(LEAVE, (System.nanoTime() - start) / waiters);
        }
        return figures;
    }
}
