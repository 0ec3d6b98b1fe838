package dev.sluice.local;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Charge;
import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.ManualClock;
import dev.sluice.Store;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Resets, the memory bound, waiting, refunds and several limiters at once, where one meets another. */
@Timeout(60)
class CombinationsTest {
    private static final Duration TEN_SECONDS = Duration.ofSeconds(10);

    private final ManualClock clock = new ManualClock();

    static Stream<Limit> fives() {
        return Stream.of(
                Limit.fixedWindow(5, TEN_SECONDS),
                Limit.slidingWindow(5, TEN_SECONDS, 10),
                Limit.slidingLog(5, TEN_SECONDS),
                Limit.tokenBucket(5, Duration.ofDays(1)),
                Limit.leakyBucket(5, Duration.ofDays(1)).capacity(5).queue(),
                Limit.concurrency(5));
    }

    @ParameterizedTest
    @MethodSource("fives")
    void whatWasTakenBeforeAResetIsNotGivenBackAfterIt(Limit limit) {
        for (String key : List.of("", "k")) {
            for (int millis : new int[] {0, 1, 1500}) {
                Limiter limiter = Limiter.builder(limit).clock(clock).build();
                Decision before = limiter.decide(key, 5);
                limiter.reset(key);
                clock.advance(Duration.ofMillis(millis));
                limiter.decide(key, 5);
                limiter.refund(key, before);
                limiter.release(key, before);
                assertThat(limiter.peek(key, 0).remaining())
                        .as("key '%s', %d ms later", key, millis)
                        .isZero();
            }
        }
    }

    @ParameterizedTest
    @MethodSource("fives")
    void whatIsTakenAfterAResetIsGivenBackWhole(Limit limit) {
        Limiter limiter = Limiter.builder(limit).clock(clock).build();
        limiter.decide("k", 5);
        limiter.reset("k");
        limiter.reset("k");
        Decision after = limiter.decide("k", 5);
        limiter.refund("k", after);
        assertThat(limiter.peek("k", 0).remaining()).isEqualTo(5);
    }

    @Test
    void aSecondResetForgetsNothingOfTheFirst() {
        clock.advance(Duration.ofSeconds(100));
        Limiter limiter = Limiter.builder(Limit.tokenBucket(5, Duration.ofDays(1)))
                .clock(clock)
                .build();
        Decision before = limiter.decide(5);
        limiter.reset();
        limiter.reset();
        clock.stepBack(Duration.ofSeconds(5));
        limiter.decide(5);
        limiter.refund(before);
        assertThat(limiter.peek("", 0).remaining()).isZero();
    }

    /** Each limit alone could have the memory that is left, both together cannot. */
    @Test
    void aLookAtTwoLogsEndsWhereTheMemoryIsEnoughForOne() {
        Limit[] logs = {Limit.slidingLog(100, Duration.ofSeconds(1)), Limit.slidingLog(200, Duration.ofMinutes(1))};
        for (long bytes = 1000; bytes < 4000; bytes += 24) {
            Limiter limiter = Limiter.builder(logs).clock(clock).maxBytes(bytes).build();
            Decision seen = limiter.peek("k", 50);
            assertThat(limiter.decide("k", 50).allowed()).as("%d bytes", bytes).isEqualTo(seen.allowed());
        }
    }

    @Test
    void twoChargesToOneLogEndWhereTheMemoryIsEnoughForOne() {
        for (long bytes = 1000; bytes < 4000; bytes += 24) {
            try (Store store = Store.builder().clock(clock).maxBytes(bytes).build()) {
                Limiter log = store.limiter("log", Limit.slidingLog(200, Duration.ofSeconds(1)));
                long before = log.peek("k", 0).remaining();
                List<Decision> decisions = store.decideAll(List.of(new Charge(log, "k", 40), new Charge(log, "k", 40)))
                        .join();
                boolean all = decisions.stream().allMatch(Decision::allowed);
                assertThat(log.peek("k", 0).remaining()).isLessThanOrEqualTo(all ? before - 80 : before);
            }
        }
    }

    /** A call may find a queue just before it dissolves, and its key may be dropped then. */
    @Test
    void aQueueOfADroppedKeyAnswers() {
        LocalLimiter limiter = (LocalLimiter) Limiter.builder(Limit.tokenBucket(5, Duration.ofSeconds(1)))
                .clock(clock)
                .build();
        limiter.decide("k", 5);
        CompletableFuture<Decision> waiting = limiter.acquireAsync("k", 1, TEN_SECONDS);
        WaitQueue queue = Objects.requireNonNull(limiter.core().waiting.queue("k"));
        waiting.cancel(false);
        limiter.clear();
        queue.turnOf(1, 100, 0);
        queue.limitsChanged();
        queue.reconsider();
    }

    @Test
    void aPeekOfAHigherShareLeavesTheQueueAlone() {
        LocalLimiter limiter = (LocalLimiter)
                Limiter.builder(Limit.tokenBucket(10, TEN_SECONDS)).clock(clock).build();
        limiter.decide("k", 6);
        CompletableFuture<Decision> waiting = limiter.withShare(50).acquireAsync("k", 1, TEN_SECONDS);
        WaitQueue queue = Objects.requireNonNull(limiter.core().waiting.queue("k"));
        long before = queue.forecastSteps();
        for (int i = 0; i < 10; i++) {
            assertThat(limiter.peek("k").allowed()).isTrue();
            clock.advance(Duration.ofMillis(2));
        }
        assertThat(queue.forecastSteps()).isEqualTo(before);
        assertThat(waiting).isNotDone();
    }

    @Test
    void keysAreResetWhileTheSharedCounterRetires() throws InterruptedException {
        Store store = Store.builder().ticker(clock).maxBytes(12_000).build();
        Duration period = Duration.ofMillis(100);
        Limit window = Limit.slidingWindow(5000, period, 100);
        Limiter limiter = store.limiter("l", window, window, window, window, Limit.tokenBucket(5000, period));
        AtomicBoolean stop = new AtomicBoolean();
        Thread resets = new Thread(() -> {
            while (!stop.get()) {
                limiter.reset("unknown");
            }
        });
        resets.start();
        for (int round = 0; round < 500; round++) {
            Limiter flood = store.limiter("flood", Limit.tokenBucket(9, Duration.ofHours(1)));
            for (int i = 0; i < 90; i++) {
                flood.tryAcquire("f" + i);
            }
            limiter.tryAcquire("u");
            store.forget("flood");
            limiter.tryAcquire("u");
            clock.advance(Duration.ofMillis(1502));
            limiter.peek("x");
        }
        stop.set(true);
        resets.join();
        assertThat(store.usage().atBound()).isPositive();
    }

    @Test
    void aSchedulerThatFailsLosesNoAnswer() {
        AtomicBoolean down = new AtomicBoolean();
        Limiter limiter = Limiter.builder(Limit.concurrency(2))
                .ticker(clock)
                .scheduler((delay, action) -> {
                    if (down.get()) {
                        throw new RejectedExecutionException("shut down");
                    }
                    return clock.schedule(delay, action);
                })
                .build();
        Decision both = limiter.decide(2);
        CompletableFuture<Decision> first = limiter.acquireAsync(1, TEN_SECONDS);
        CompletableFuture<Decision> second = limiter.acquireAsync(1, TEN_SECONDS);
        down.set(true);
        limiter.release("", both);
        assertThat(List.of(first, second)).allMatch(each -> each.join().allowed());
    }
}
