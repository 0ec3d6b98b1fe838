package dev.sluice.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class RequestSlotsTest {
    @Test
    void othersWaitInOrder() {
        RequestSlots slots = new RequestSlots(2);
        List<Integer> begun = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            int number = i;
            slots.enter(() -> begun.add(number));
        }
        assertThat(begun).containsExactly(0, 1);
        slots.leave();
        assertThat(begun).containsExactly(0, 1, 2);
        slots.leave();
        slots.leave();
        assertThat(begun).containsExactly(0, 1, 2, 3, 4);
    }

    @Test
    void aLongQueueOfTasksThatEndAtOnceNeedsNoStack() {
        RequestSlots slots = new RequestSlots(1);
        AtomicInteger begun = new AtomicInteger();
        slots.enter(begun::incrementAndGet);
        for (int i = 0; i < 100_000; i++) {
            slots.enter(() -> {
                begun.incrementAndGet();
                slots.leave();
            });
        }
        slots.leave();
        assertThat(begun).hasValue(100_001);
    }

    @Test
    void theBoundHoldsUnderContention() {
        RequestSlots slots = new RequestSlots(3);
        AtomicInteger now = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        List<CompletableFuture<Void>> all = new ArrayList<>();
        ExecutorService pool = Executors.newFixedThreadPool(4);
        for (int thread = 0; thread < 4; thread++) {
            for (int i = 0; i < 5_000; i++) {
                CompletableFuture<Void> done = new CompletableFuture<>();
                all.add(done);
                CompletableFuture.runAsync(
                        () -> slots.enter(() -> {
                            most.accumulateAndGet(now.incrementAndGet(), Math::max);
                            CompletableFuture.runAsync(
                                    () -> {
                                        now.decrementAndGet();
                                        slots.leave();
                                        done.complete(null);
                                    },
                                    pool);
                        }),
                        pool);
            }
        }
        all.forEach(CompletableFuture::join);
        pool.shutdown();
        assertThat(most.get()).isBetween(1, 3);
        assertThat(now).hasValue(0);
    }
}
