package dev.sluice.local;

import static java.time.Duration.ofDays;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.ManualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;

/** A queue of many, and what its operations cost. */
final class WaitQueueCost {
    private static final Duration FOR_LONG = ofDays(365);

    private final ManualClock time = new ManualClock();
    private final int size;
    private final LocalLimiter limiter;
    private final WaitQueue queue;
    private List<CompletableFuture<Decision>> waits = new ArrayList<>();
    private long operations;

    WaitQueueCost(int size) {
        this.size = size;
        this.limiter = new LocalLimiterBuilder(Limit.slidingLog(10, ofSeconds(1)))
                .ticker(time)
                .scheduler(time)
                .build();
        assertThat(limiter.tryAcquire("k", 10)).isTrue();
        join();
        this.queue = Objects.requireNonNull(limiter.core.waiting.queue("k"));
    }

    /** Two operations: to ask, and to join. */
    private void join() {
        operations += 2;
        waits.add(limiter.acquireAsync("k", 1, FOR_LONG));
    }

    void joinAll() {
        while (waits.size() < size) {
            join();
        }
    }

    void leaveHalf(Random random) {
        Collections.shuffle(waits, random);
        for (CompletableFuture<Decision> wait : waits.subList(0, size / 2)) {
            operations++;
            wait.cancel(false);
        }
        waits = new ArrayList<>(waits.subList(size / 2, size));
    }

    void joinAndLeaveInTurns() {
        for (int i = 0; i < 1000; i++) {
            operations++;
            waits.get(i).cancel(false);
            join();
        }
    }

    void serveAll() {
        operations += waits.size();
        time.advance(ofSeconds(size));
        assertThat(waits).allMatch(CompletableFuture::isDone);
        assertThat(time.pending()).isZero();
    }

    /** The operations so far. */
    long operations() {
        return operations;
    }

    /** The steps that the forecasts of the queue have taken so far. */
    long steps() {
        return queue.forecastSteps();
    }
}
