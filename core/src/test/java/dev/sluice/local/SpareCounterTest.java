package dev.sluice.local;

import static java.time.Duration.ofDays;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.ManualClock;
import dev.sluice.Store;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The counter that keys share at the memory bound, and what becomes of it when there is memory again. */
@Timeout(60)
class SpareCounterTest {
    private record Held(String key, Decision decision) {}

    private final ManualClock clock = new ManualClock();
    private final Store store = Store.builder().clock(clock).maxBytes(60_000).build();

    private final LocalLimiter flood = (LocalLimiter) store.limiter("flood", Limit.fixedWindow(5, ofDays(1)));

    /** Takes all memory, until {@link #endFlood}: no key takes less than these. */
    private void flood() {
        for (int i = 0; i < 1000; i++) {
            flood.tryAcquire("f" + i);
        }
    }

    private void endFlood() {
        flood.clear();
    }

    // ---- Waiting

    @Test
    void aMinuteAfterTheFloodNobodyIsRefusedThoughAllWait() {
        Limiter limiter = Limiter.builder(Limit.tokenBucket(10, ofSeconds(1)))
                .clock(clock)
                .maxBytes(200_000)
                .build();
        for (int i = 0; i < 5000; i++) {
            limiter.tryAcquire("flood" + i);
        }
        List<CompletableFuture<Decision>> late = new ArrayList<>();
        for (int millis = 0; millis < 120_000; millis += 10) {
            clock.advance(ofMillis(10));
            CompletableFuture<Decision> call = limiter.acquireAsync("user" + millis / 10 % 200, 1, ofSeconds(1));
            if (millis > 60_000) {
                late.add(call);
            }
        }
        clock.advance(ofSeconds(3));
        assertThat(late).allMatch(call -> call.isDone() && call.join().allowed());
    }

    @Test
    void waitersGoOnByTheirOwnKeysInTheirOrder() {
        Limiter limiter = store.limiter("limiter", Limit.tokenBucket(2, ofSeconds(2)));
        flood();
        limiter.decide("a", 2);
        List<String> answered = new ArrayList<>();
        for (String waiter : List.of("a1", "b1", "b2", "a2")) {
            limiter.acquireAsync(waiter.substring(0, 1), 1, ofMinutes(1))
                    .thenAccept(decision -> answered.add(waiter + decision.allowed()));
        }
        endFlood();
        assertThat(limiter.tryAcquire("c")).as("two are spent, perhaps by c").isFalse();
        assertThat(clock.pending())
                .as("four deadlines, and the next turns of two keys")
                .isEqualTo(6);
        clock.advance(ofSeconds(1));
        assertThat(answered).containsExactly("a1true", "b1true");
        clock.advance(ofSeconds(1));
        assertThat(answered).containsExactlyInAnyOrder("a1true", "b1true", "b2true", "a2true");
        assertThat(clock.pending()).isZero();
    }

    @Test
    void waitersMoveAfterEachFlood() {
        Limiter limiter = store.limiter("limiter", Limit.concurrency(1));
        List<CompletableFuture<Decision>> waiting = new ArrayList<>();
        flood();
        Decision held = limiter.decide("a");
        for (int round = 0; round < 3; round++) {
            flood();
            waiting.add(limiter.acquireAsync("waiting" + round, 1, ofMinutes(1)));
            endFlood();
            assertThat(store.usage().keys()).isEqualTo(2L * round);
            assertThat(limiter.decide("new" + round).allowed()).isFalse();
            assertThat(store.usage().keys())
                    .as("those who wait have counters of their own")
                    .isEqualTo(2L * (round + 1));
        }
        limiter.release("a", held);
        assertThat(waiting).allMatch(wait -> wait.isDone() && wait.join().allowed());
    }

    @Test
    void aWaiterThatHasMovedCanLeave() {
        Limiter limiter = store.limiter("limiter", Limit.concurrency(1));
        flood();
        Decision held = limiter.decide("a");
        CompletableFuture<Decision> first = limiter.acquireAsync("a", 1, ofMinutes(1));
        CompletableFuture<Decision> second = limiter.acquireAsync("b", 1, ofMinutes(1));
        endFlood();
        assertThat(limiter.decide("c").allowed()).isFalse();
        assertThat(first.cancel(false)).isTrue();
        limiter.release("a", held);
        assertThat(second).isCompletedWithValueMatching(Decision::allowed);
        assertThat(limiter.peek("a", 0).remaining()).isEqualTo(1);
    }

    /** There is memory for one key, but not for those who wait. */
    @Test
    void aCounterThatManyWaitForWaitsForMemoryForAll() {
        Limiter limiter = store.limiter("limiter", Limit.concurrency(1));
        flood();
        limiter.decide("a");
        List<CompletableFuture<Decision>> waiting = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            waiting.add(limiter.acquireAsync("w" + i, 1, ofMinutes(1)));
        }
        endFlood();
        assertThat(limiter.decide("b").allowed()).isFalse();
        assertThat(store.usage().keys()).isZero();
        waiting.subList(10, 1000).forEach(call -> call.cancel(false));
        limiter.decide("b");
        assertThat(store.usage().keys()).isEqualTo(11);
    }

    // ---- Holding

    @Test
    void usersAreNotRefusedForWhatIsNoLongerHeldThoughHoldsOverlapForEver() {
        Limiter limiter = store.limiter("limiter", Limit.concurrency(10));
        limiter.decide("first");
        flood();
        limiter.decide("websocket");
        endFlood();
        limiter.decide("second");
        flood();
        Deque<Held> running = new ArrayDeque<>(List.of(new Held("u", limiter.decide("u"))));
        endFlood();
        int refused = 0;
        for (int i = 0; i < 20_000; i++) {
            clock.advance(ofMillis(10));
            Decision decision = limiter.decide("user" + i % 500);
            if (decision.allowed()) {
                running.add(new Held("user" + i % 500, decision));
            } else if (i > 10_000) {
                refused++;
            }
            if (running.size() > 30 || (running.size() > 1 && i % 20 == 0)) {
                Held oldest = running.remove();
                limiter.release(oldest.key, oldest.decision);
            }
        }
        assertThat(refused).isZero();
    }

    @Test
    void eachGenerationCountsUntilItsHoldsAreReleased() {
        Limiter limiter = store.limiter("limiter", Limit.concurrency(10));
        Deque<Decision> held = new ArrayDeque<>();
        List<String> keys = new ArrayList<>();
        for (int generation = 0; generation < 8; generation++) {
            flood();
            held.add(limiter.decide("shared"));
            endFlood();
            keys.add("key" + generation);
            assertThat(limiter.peek("key" + generation, 0).remaining()).isEqualTo(9 - generation);
            limiter.release("key" + generation, limiter.decide("key" + generation));
        }
        // the last first, the first next, and so on from both ends
        List<Integer> left = new ArrayList<>(List.of(0, 1, 2, 3, 4, 5, 6, 7));
        while (!left.isEmpty()) {
            boolean last = left.size() % 2 == 0;
            left.remove(last ? left.size() - 1 : 0);
            limiter.release("shared", last ? held.removeLast() : held.removeFirst());
            for (int i = 0; i < keys.size(); i++) {
                int generation = i;
                long counts = left.stream().filter(of -> of <= generation).count();
                assertThat(limiter.peek(keys.get(i), 0).remaining()).isEqualTo(10 - counts);
            }
        }
        assertThat(limiter.peek("new", 0).remaining()).isEqualTo(10);
    }

    @Test
    void holdsOfEarlierGenerationsEndAfterAChange() {
        Limiter limiter = store.limiter("limiter", Limit.concurrency(5));
        List<Decision> held = new ArrayList<>();
        for (int generation = 0; generation < 3; generation++) {
            flood();
            held.add(limiter.decide("shared"));
            endFlood();
            limiter.release("key", limiter.decide("key"));
        }
        limiter.change(Limit.concurrency(8));
        assertThat(limiter.peek("new", 0).remaining()).isEqualTo(5);
        limiter.release("shared", held.get(0));
        limiter.release("shared", held.get(1));
        assertThat(limiter.peek("new", 0).remaining()).isEqualTo(7);
        limiter.release("shared", held.get(2));
        assertThat(limiter.peek("new", 0).remaining()).isEqualTo(8);
    }

    // ---- Refunds

    static Stream<Limit> rates() {
        return Stream.of(
                Limit.tokenBucket(5, ofDays(1)),
                Limit.leakyBucket(5, ofDays(1)).capacity(5),
                Limit.fixedWindow(5, ofDays(1)),
                Limit.slidingWindow(5, ofDays(1), 10),
                Limit.slidingLog(5, ofDays(1)));
    }

    @ParameterizedTest
    @MethodSource("rates")
    void whatWasTakenFromTheSharedCounterIsRefundedToTheKeysOwn(Limit limit) {
        Limiter limiter = store.limiter("limiter", limit);
        flood();
        Decision taken = limiter.decide("k", 5);
        endFlood();
        assertThat(limiter.tryAcquire("k")).as("in a counter of its own").isFalse();
        CompletableFuture<Decision> waiting = limiter.acquireAsync("k", 2, ofDays(2));
        limiter.refund("k", taken);
        assertThat(waiting).isCompletedWithValueMatching(Decision::allowed);
        assertThat(limiter.peek("k", 0).remaining()).isEqualTo(3);
        assertThat(limiter.peek("another", 0).remaining()).isEqualTo(5);
    }

    @ParameterizedTest
    @MethodSource("rates")
    void whatWasTakenTwoFloodsAgoIsRefunded(Limit limit) {
        Limiter limiter = store.limiter("limiter", limit);
        flood();
        Decision first = limiter.decide("k", 2);
        endFlood();
        limiter.decide("other");
        flood();
        Decision second = limiter.decide("k", 2);
        limiter.refund("k", first, 1);
        assertThat(limiter.peek("k", 0).remaining()).as("still shared").isEqualTo(2);
        endFlood();
        assertThat(limiter.decide("k").remaining()).as("of its own").isEqualTo(1);
        limiter.refund("k", first, 1);
        limiter.refund("k", second);
        assertThat(limiter.peek("k", 0).remaining()).isEqualTo(4);
    }

    @ParameterizedTest
    @MethodSource("rates")
    void whatWasTakenFromTheSharedCounterBeforeAResetIsNotRefunded(Limit limit) {
        Limiter limiter = store.limiter("limiter", limit);
        flood();
        Decision taken = limiter.decide("k", 5);
        limiter.reset("k");
        endFlood();
        limiter.reset("k");
        assertThat(limiter.decide("k", 5).allowed()).isTrue();
        limiter.refund("k", taken);
        assertThat(limiter.peek("k", 0).remaining()).isZero();
    }

    // ---- Threads

    @Test
    void everyWaitEndsAndNothingIsAdmittedTwiceWhileCountersRetire() throws InterruptedException {
        Limiter limiter = store.limiter("limiter", Limit.concurrency(2));
        AtomicBoolean stop = new AtomicBoolean();
        AtomicInteger[] held = {new AtomicInteger(), new AtomicInteger(), new AtomicInteger(), new AtomicInteger()};
        AtomicInteger most = new AtomicInteger();
        AtomicInteger pending = new AtomicInteger();
        List<Thread> threads = new ArrayList<>();
        for (int thread = 0; thread < 3; thread++) {
            int seed = thread;
            threads.add(new Thread(() -> {
                for (int i = seed; !stop.get(); i++) {
                    int key = i % held.length;
                    if (pending.incrementAndGet() > 50) {
                        pending.decrementAndGet();
                        Thread.onSpinWait();
                        continue;
                    }
                    CompletableFuture<Decision> call = limiter.acquireAsync("k" + key, 1, ofMinutes(1));
                    call.whenComplete((decision, failure) -> {
                        if (decision != null && decision.allowed()) {
                            most.accumulateAndGet(held[key].incrementAndGet(), Math::max);
                            held[key].decrementAndGet();
                            limiter.release("k" + key, decision);
                        }
                        pending.decrementAndGet();
                    });
                    if (i % 7 == 0) {
                        call.cancel(false);
                    }
                }
            }));
        }
        threads.forEach(Thread::start);
        for (int round = 0; round < 200; round++) {
            flood();
            clock.advance(ofMillis(1));
            endFlood();
            limiter.peek("x");
            clock.advance(ofMillis(1));
        }
        stop.set(true);
        for (Thread thread : threads) {
            thread.join();
        }
        clock.advance(ofMinutes(2));
        assertThat(pending).hasValue(0);
        assertThat(most.get()).isLessThanOrEqualTo(2);
        assertThat(clock.pending()).isZero();
        assertThat(limiter.peek("k0", 0).remaining()).isEqualTo(2);
    }
}
