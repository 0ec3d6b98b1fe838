package dev.sluice.local;

import static java.time.Duration.ofHours;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.LimiterBuilder;
import dev.sluice.ManualClock;
import dev.sluice.spi.LimiterDecision;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What the owner of a waiting future may do with it, and what the limiter does to the owner's code. */
@Timeout(60)
class WaitingCompletionTest {
    private static final int MANY = 20_000;
    private static final Decision FOREIGN = LimiterDecision.allowed(1, 1, 0, 0);

    private final ManualClock time = new ManualClock();

    private Limiter limiter(Limit... limits) {
        return builder(limits).build();
    }

    private LocalLimiterBuilder builder(Limit... limits) {
        return new LocalLimiterBuilder(limits).ticker(time).scheduler(time);
    }

    // ---- Owners that complete their futures

    static Stream<Arguments> endings() {
        return Stream.of(
                ending("cancel", wait -> wait.cancel(false)),
                ending("complete", wait -> wait.complete(FOREIGN)),
                ending(
                        "completeExceptionally",
                        wait -> wait.completeExceptionally(new IllegalStateException("enough"))),
                ending("completeAsync", wait -> wait.completeAsync(() -> FOREIGN, Runnable::run)),
                ending("obtrudeValue", wait -> wait.obtrudeValue(FOREIGN)),
                ending("completeOnTimeout", wait -> wait.completeOnTimeout(FOREIGN, 1, TimeUnit.MICROSECONDS)),
                ending("orTimeout", wait -> wait.orTimeout(1, TimeUnit.MICROSECONDS)));
    }

    private static Arguments ending(String name, Consumer<CompletableFuture<Decision>> ending) {
        return Arguments.of(name, ending);
    }

    /** The timeouts of the JDK are on its own clock. */
    private static void awaitEnd(CompletableFuture<Decision> wait) throws InterruptedException {
        CountDownLatch ended = new CountDownLatch(1);
        wait.whenComplete((decision, failure) -> ended.countDown());
        assertThat(ended.await(30, TimeUnit.SECONDS)).isTrue();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("endings")
    void aFutureThatItsOwnerCompletesLeavesTheQueue(String name, Consumer<CompletableFuture<Decision>> ending)
            throws Exception {
        Limiter limiter = limiter(Limit.tokenBucket(2, ofSeconds(2)));
        limiter.decide("k", 1);
        CompletableFuture<Decision> large = limiter.acquireAsync("k", 2, ofHours(1));
        CompletableFuture<Decision> small = limiter.acquireAsync("k", 1, ofHours(1));
        ending.accept(large);
        awaitEnd(large);
        small.get(30, TimeUnit.SECONDS); // the one in its way has gone: served by the thread that completed it
        assertThat(time.pending()).isZero();
        assertThat(limiter.peek("k", 0).remaining()).isZero();
        time.advance(ofSeconds(2));
        assertThat(limiter.peek("k", 0).remaining()).isEqualTo(2);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("endings")
    void aDelayedFutureThatItsOwnerCompletesIsRefunded(String name, Consumer<CompletableFuture<Decision>> ending)
            throws Exception {
        Limiter queue = limiter(Limit.leakyBucket(1, ofSeconds(1)).capacity(3).queue());
        queue.decide("k");
        CompletableFuture<Decision> wait = queue.acquireAsync("k", 1, ofSeconds(5));
        ending.accept(wait);
        awaitEnd(wait);
        assertThat(queue.peek("k", 0).remaining()).isEqualTo(2);
        assertThat(time.pending()).isZero();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("endings")
    void aListenerHearsNothingOfAFutureThatItsOwnerCompleted(String name, Consumer<CompletableFuture<Decision>> ending)
            throws Exception {
        List<Decision> heard = new ArrayList<>();
        Limiter limiter = builder(Limit.tokenBucket(1, ofSeconds(1)))
                .listener((key, decision) -> heard.add(decision))
                .build();
        limiter.decide("k");
        CompletableFuture<Decision> wait = limiter.acquireAsync("k", 1, ofSeconds(5));
        heard.clear();
        ending.accept(wait);
        awaitEnd(wait);
        assertThat(time.pending()).isZero();
        time.advance(ofSeconds(1));
        assertThat(limiter.peek("k", 0).remaining()).isEqualTo(1);
        assertThat(heard).isEmpty();
    }

    /** The owner's first continuation completes the future of the second, which has its permits already. */
    @Test
    void aFutureCompletedByItsOwnerWhileItIsServedGivesItsPermitsBack() {
        Limiter limiter = limiter(Limit.fixedWindow(2, ofSeconds(10)));
        limiter.decide("k", 2);
        CompletableFuture<Decision> first = limiter.acquireAsync("k", 1, ofSeconds(10));
        CompletableFuture<Decision> second = limiter.acquireAsync("k", 1, ofSeconds(10));
        CompletableFuture<Void> after = first.thenAccept(decision -> second.complete(FOREIGN));
        time.advance(ofSeconds(10));
        assertThat(after).isCompleted();
        assertThat(second.join()).isSameAs(FOREIGN);
        assertThat(limiter.peek("k", 0).remaining()).isEqualTo(1);
    }

    @Test
    void anOwnersContinuationThatFailsHarmsNobody() {
        Limiter limiter = limiter(Limit.fixedWindow(2, ofSeconds(10)));
        limiter.decide("k", 2);
        CompletableFuture<Decision> first = limiter.acquireAsync("k", 1, ofSeconds(10));
        CompletableFuture<Decision> second = limiter.acquireAsync("k", 1, ofSeconds(10));
        CompletableFuture<Void> after = first.thenAccept(decision -> {
            throw new AssertionError("as this test wants it");
        });
        time.advance(ofSeconds(10));
        assertThat(after).isCompletedExceptionally();
        assertThat(second).isCompletedWithValueMatching(Decision::allowed);
    }

    // ---- Chains of owners

    @Test
    void thousandsThatReleaseInTheirContinuationDoNotRecurse() {
        Limiter limiter = limiter(Limit.concurrency(1));
        Decision held = limiter.decide("k");
        AtomicInteger served = new AtomicInteger();
        for (int i = 0; i < MANY; i++) {
            chain(limiter.acquireAsync("k", 1, ofHours(1)), decision -> {
                served.incrementAndGet();
                limiter.release("k", decision);
            });
        }
        limiter.release("k", held);
        time.advance(Duration.ZERO);
        assertThat(served).hasValue(MANY);
        assertThat(limiter.peek("k", 0).remaining()).isEqualTo(1);
        assertThat(time.pending()).isZero();
    }

    @Test
    void neitherDoesAChainThroughManyKeysAndLimiters() {
        List<Limiter> limiters = List.of(limiter(Limit.concurrency(1)), limiter(Limit.concurrency(1)));
        List<Decision> held = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            held.add(limiters.get(i % 2).decide("k" + i));
        }
        AtomicInteger served = new AtomicInteger();
        for (int i = 0; i < MANY; i++) {
            int next = i + 1;
            chain(limiters.get(i % 2).acquireAsync("k" + i, 1, ofHours(1)), decision -> {
                served.incrementAndGet();
                if (next < MANY) {
                    limiters.get(next % 2).release("k" + next, held.get(next));
                }
            });
        }
        limiters.get(0).release("k0", held.get(0));
        time.advance(Duration.ZERO);
        assertThat(served).hasValue(MANY);
        assertThat(time.pending()).isZero();
    }

    @Test
    void thousandsThatCancelTheNextInTheirContinuationDoNotRecurse() {
        Limiter limiter = limiter(Limit.concurrency(2));
        Decision held = limiter.decide("k", 2);
        List<CompletableFuture<Decision>> waits = new ArrayList<>();
        AtomicInteger served = new AtomicInteger();
        for (int i = 0; i < MANY; i++) {
            int next = i + 1;
            CompletableFuture<Decision> wait = limiter.acquireAsync("k", i % 2 == 0 ? 1 : 2, ofHours(1));
            waits.add(wait);
            chain(wait, decision -> {
                served.incrementAndGet();
                limiter.release("k", decision);
                waits.get(next).cancel(false);
            });
        }
        limiter.release("k", held);
        time.advance(Duration.ZERO);
        assertThat(waits).allMatch(CompletableFuture::isDone);
        assertThat(served.get()).isPositive();
        assertThat(limiter.peek("k", 0).remaining()).isEqualTo(2);
        assertThat(time.pending()).isZero();
    }

    /** On the real scheduler: whoever waits inside a continuation for the next waiter is not waited for. */
    @Test
    void aContinuationMayWaitForTheNextWaiter() throws Exception {
        Limiter limiter = Limiter.local(Limit.concurrency(3));
        Decision held = limiter.decide("k", 3);
        CompletableFuture<Decision> first = limiter.acquireAsync("k", 1, ofHours(1));
        CompletableFuture<Decision> second = limiter.acquireAsync("k", 1, ofHours(1));
        CompletableFuture<Decision> third = limiter.acquireAsync("k", 1, ofHours(1));
        CompletableFuture<Decision> afterFirst = first.thenApply(decision -> second.join());
        CompletableFuture<Decision> afterSecond = second.thenApply(decision -> third.join());
        CompletableFuture<Void> released = CompletableFuture.runAsync(() -> limiter.release("k", held));
        released.get(30, TimeUnit.SECONDS);
        assertThat(afterFirst.get(30, TimeUnit.SECONDS).allowed()).isTrue();
        assertThat(afterSecond.get(30, TimeUnit.SECONDS).allowed()).isTrue();
    }

    private static void chain(CompletableFuture<Decision> wait, Consumer<Decision> next) {
        CompletableFuture<Void> after = wait.thenAccept(next);
        assertThat(after).isNotDone();
    }

    // ---- Listeners

    @Test
    void aListenersErrorReachesNobody() {
        LimiterBuilder builder = builder(Limit.tokenBucket(1, ofSeconds(1))).listener((key, decision) -> {
            throw new AssertionError("listener down, as this test wants it");
        });
        Limiter limiter = builder.build();
        assertThat(limiter.decide("k").allowed()).isTrue();
        assertThat(limiter.tryAcquire("k")).isFalse();
        CompletableFuture<Decision> wait = limiter.acquireAsync("k", 1, ofSeconds(1));
        time.advance(ofSeconds(1));
        assertThat(wait).isCompletedWithValueMatching(Decision::allowed);
    }

    @Test
    void aListenerHearsTheEndOfAWait() {
        List<Boolean> heard = new ArrayList<>();
        Limiter limiter = builder(Limit.tokenBucket(1, ofSeconds(1)))
                .listener((key, decision) -> heard.add(decision.allowed()))
                .build();
        limiter.decide("k");
        CompletableFuture<Decision> wait = limiter.acquireAsync("k", 1, ofSeconds(1));
        CompletableFuture<Decision> hopeless = limiter.acquireAsync("k", 1, ofMillis(1500));
        assertThat(heard).containsExactly(true, false);
        time.advance(ofSeconds(1));
        assertThat(heard).containsExactly(true, false, true);
        assertThat(wait.join().allowed()).isTrue();
        assertThat(hopeless.join().allowed()).isFalse();
    }

    // ---- Interruption

    /** On the real clock: whether the interruption or the turn comes first, permits are not lost. */
    @Test
    void anInterruptionAtAnyMomentTakesNothingOrReturnsTheDecision() throws Exception {
        Limiter limiter = Limiter.local(Limit.concurrency(1));
        for (int round = 0; round < 2000; round++) {
            Decision held = limiter.decide("k");
            assertThat(held.allowed()).isTrue();
            Thread waiting = new Thread(() -> {
                try {
                    Decision decision = limiter.acquire("k", 1, ofHours(1));
                    limiter.release("k", decision);
                } catch (InterruptedException e) {
                    // then nothing was taken, which is seen below
                }
            });
            waiting.start();
            Thread releasing = new Thread(() -> limiter.release("k", held));
            releasing.start();
            if (round % 2 == 0) {
                Thread.onSpinWait();
            }
            waiting.interrupt();
            releasing.join();
            waiting.join();
        }
        assertThat(limiter.peek("k", 0).remaining()).isEqualTo(1);
    }

    @Test
    void aTimeoutOfTheOwnerIsATimeoutException() {
        Limiter limiter = limiter(Limit.concurrency(1));
        limiter.decide("k");
        CompletableFuture<Decision> wait = limiter.acquireAsync("k", 1, ofHours(1));
        assertThat(wait.orTimeout(1, TimeUnit.MILLISECONDS))
                .failsWithin(ofSeconds(30))
                .withThrowableOfType(java.util.concurrent.ExecutionException.class)
                .withCauseInstanceOf(TimeoutException.class);
    }
}
