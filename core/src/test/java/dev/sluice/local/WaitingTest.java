package dev.sluice.local;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.sluice.Decision;
import dev.sluice.Hold;
import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.ManualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class WaitingTest {
    private final ManualClock time = new ManualClock();

    private Limiter limiter(Limit... limits) {
        return new LocalLimiterBuilder(limits).ticker(time).scheduler(time).build();
    }

    /** One permit a second, and the first one taken. */
    private Limiter busy() {
        Limiter limiter = limiter(Limit.tokenBucket(1, ofSeconds(1)));
        assertThat(limiter.tryAcquire("k")).isTrue();
        return limiter;
    }

    @Test
    void whatIsThereIsGivenAtOnce() {
        Limiter limiter = limiter(Limit.slidingLog(2, ofSeconds(1)));
        assertThat(limiter.acquireAsync("k", 2, ofSeconds(5))).isCompletedWithValueMatching(Decision::allowed);
        assertThat(time.pending()).isZero();
    }

    @Test
    void aTurnComesWhenThePermitDoes() {
        CompletableFuture<Decision> turn = busy().acquireAsync("k", 1, ofSeconds(1));
        time.advance(ofSeconds(1).minusNanos(1000));
        assertThat(turn).isNotDone();
        time.advance(Duration.ofNanos(1000));
        assertThat(turn).isCompletedWithValueMatching(Decision::allowed);
    }

    @Test
    void aHopelessWaitIsRefusedAtOnceWithTheTimeItWouldTake() {
        Limiter limiter = busy();
        CompletableFuture<Decision> first = limiter.acquireAsync("k", 1, ofSeconds(1));
        CompletableFuture<Decision> second = limiter.acquireAsync("k", 1, ofMillis(1999));
        assertThat(first).isNotDone();
        assertThat(second).isCompletedWithValueMatching(d -> !d.allowed());
        assertThat(second.join().retryAfter()).isEqualTo(ofSeconds(2));
        assertThat(limiter.acquireAsync("k", 1, ofSeconds(2))).isNotDone();
    }

    @Test
    void moreThanTheLimitIsRefusedHoweverLongTheWait() {
        assertThat(busy().acquireAsync("k", 2, Duration.ofDays(9999))).isCompletedWithValueMatching(Decision::never);
    }

    @Test
    void firstComeFirstServed() {
        Limiter limiter = busy();
        List<Integer> order = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            int number = i;
            limiter.acquireAsync("k", 1, ofSeconds(10)).thenAccept(d -> order.add(number));
        }
        time.advance(ofSeconds(3));
        assertThat(order).containsExactly(0, 1, 2);
        time.advance(ofSeconds(7));
        assertThat(order).containsExactly(0, 1, 2, 3, 4);
        assertThat(time.pending()).isZero();
    }

    @Test
    void nobodyGoesBeforeThoseWhoWait() {
        Limiter limiter = limiter(Limit.tokenBucket(4, ofSeconds(4)));
        assertThat(limiter.tryAcquire("k", 4)).isTrue();
        CompletableFuture<Decision> large = limiter.acquireAsync("k", 4, ofSeconds(4));
        time.advance(ofSeconds(3));
        Decision small = limiter.decide("k", 1);
        assertThat(small.allowed()).isFalse();
        assertThat(small.remaining()).isZero();
        assertThat(small.retryAfter()).isEqualTo(ofSeconds(2));
        assertThat(limiter.peek("k", 1)).isEqualTo(small);
        time.advance(ofSeconds(1));
        assertThat(large).isCompletedWithValueMatching(Decision::allowed);
        time.advance(ofSeconds(1));
        assertThat(limiter.tryAcquire("k")).isTrue();
    }

    @Test
    void anotherKeyDoesNotWait() {
        Limiter limiter = busy();
        limiter.acquireAsync("k", 1, ofSeconds(5));
        assertThat(limiter.tryAcquire("other")).isTrue();
    }

    @Test
    void cancellingTakesNothingAndLetsTheOthersMoveUp() {
        Limiter limiter = busy();
        CompletableFuture<Decision> first = limiter.acquireAsync("k", 1, ofSeconds(5));
        CompletableFuture<Decision> second = limiter.acquireAsync("k", 1, ofSeconds(5));
        assertThat(first.cancel(false)).isTrue();
        time.advance(ofSeconds(1));
        assertThat(second).isCompletedWithValueMatching(Decision::allowed);
        time.advance(ofSeconds(1));
        assertThat(limiter.tryAcquire("k")).isTrue();
        assertThat(time.pending()).isZero();
    }

    @Test
    void completingAWaitByOtherMeansTakesNothing() {
        Limiter limiter = busy();
        CompletableFuture<Decision> turn = limiter.acquireAsync("k", 1, ofSeconds(5));
        turn.completeExceptionally(new IllegalStateException("gave up"));
        time.advance(ofSeconds(1));
        assertThat(limiter.tryAcquire("k")).isTrue();
    }

    @Test
    void aWaitForHeldPermitsEndsWithTheReleaseOrWithItsTime() {
        Limiter limiter = limiter(Limit.concurrency(1));
        Hold hold = limiter.hold("k");
        CompletableFuture<Decision> patient = limiter.acquireAsync("k", 1, ofSeconds(10));
        CompletableFuture<Decision> hasty = limiter.acquireAsync("k", 1, ofSeconds(1));
        time.advance(ofSeconds(1));
        assertThat(hasty).isCompletedWithValueMatching(d -> !d.allowed());
        assertThat(patient).isNotDone();
        hold.close();
        assertThat(patient).isCompletedWithValueMatching(Decision::allowed);
    }

    @Test
    void aRefundAResetAndAHigherLimitServeThoseWhoWait() {
        Limiter limiter = limiter(Limit.fixedWindow(1, ofSeconds(10)));
        Decision taken = limiter.decide("k");
        CompletableFuture<Decision> turn = limiter.acquireAsync("k", 1, ofSeconds(10));
        limiter.refund("k", taken);
        assertThat(turn).isCompletedWithValueMatching(Decision::allowed);

        turn = limiter.acquireAsync("k", 1, ofSeconds(10));
        limiter.reset("k");
        assertThat(turn).isCompletedWithValueMatching(Decision::allowed);

        turn = limiter.acquireAsync("k", 1, ofSeconds(10));
        limiter.change(Limit.fixedWindow(2, ofSeconds(10)));
        assertThat(turn).isCompletedWithValueMatching(Decision::allowed);
    }

    @Test
    void aLowerLimitTurnsAwayWhoseTimeRunsOut() {
        Limiter limiter = busy();
        CompletableFuture<Decision> turn = limiter.acquireAsync("k", 1, ofSeconds(2));
        limiter.change(Limit.tokenBucket(1, ofSeconds(60)));
        time.advance(ofSeconds(2));
        assertThat(turn).isCompletedWithValueMatching(d -> !d.allowed());
        assertThat(limiter.peek("k").retryAfter()).isEqualTo(ofSeconds(58));
    }

    @Test
    void theBackgroundDoesNotStandInTheWayOfTheRest() {
        Limiter limiter = limiter(Limit.fixedWindow(10, ofSeconds(10)));
        Limiter background = limiter.withShare(50);
        assertThat(background.tryAcquire("k", 5)).isTrue();
        CompletableFuture<Decision> later = background.acquireAsync("k", 1, ofSeconds(10));
        assertThat(later).isNotDone();
        assertThat(limiter.tryAcquire("k", 5)).isTrue();
        CompletableFuture<Decision> rest = limiter.acquireAsync("k", 10, ofSeconds(10));
        time.advance(ofSeconds(10));
        assertThat(later).isCompletedWithValueMatching(Decision::allowed);
        assertThat(rest)
                .as("the background came first, and ten do not fit beside it")
                .isCompleted();
        assertThat(rest.join().allowed()).isFalse();
    }

    @Test
    void aQueueIsWaitedForByItsDelay() {
        Limiter limiter = limiter(Limit.leakyBucket(1, ofSeconds(1)).capacity(3).queue());
        assertThat(limiter.acquireAsync("k", 1, ofSeconds(5))).isCompleted();
        CompletableFuture<Decision> second = limiter.acquireAsync("k", 1, ofSeconds(5));
        CompletableFuture<Decision> third = limiter.acquireAsync("k", 1, ofMillis(1500));
        assertThat(third).isCompletedWithValueMatching(d -> !d.allowed());
        assertThat(third.join().retryAfter()).isEqualTo(ofMillis(500));
        time.advance(ofMillis(999));
        assertThat(second).isNotDone();
        time.advance(ofMillis(1));
        assertThat(second)
                .isCompletedWithValueMatching(d -> d.allowed() && d.delay().isZero());
        CompletableFuture<Decision> fourth = limiter.acquireAsync("k", 1, ofSeconds(5));
        fourth.cancel(false);
        assertThat(limiter.acquireAsync("k", 1, ofSeconds(1))).isNotDone();
    }

    @Test
    void severalLimitsAreWaitedForTogether() {
        Limiter limiter = limiter(Limit.tokenBucket(1, ofSeconds(1)), Limit.fixedWindow(2, ofSeconds(10)));
        assertThat(limiter.tryAcquire("k")).isTrue();
        CompletableFuture<Decision> second = limiter.acquireAsync("k", 1, ofSeconds(9));
        CompletableFuture<Decision> third = limiter.acquireAsync("k", 1, ofSeconds(9));
        assertThat(second).isNotDone();
        assertThat(third).isCompletedWithValueMatching(d -> !d.allowed());
        CompletableFuture<Decision> fourth = limiter.acquireAsync("k", 1, ofSeconds(10));
        time.advance(ofSeconds(1));
        assertThat(second).isCompletedWithValueMatching(Decision::allowed);
        time.advance(ofSeconds(9));
        assertThat(fourth).isCompletedWithValueMatching(Decision::allowed);
    }

    @Test
    void aNegativeWaitIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> busy().acquireAsync("k", 1, ofSeconds(-1)))
                .withMessageContaining("PT-1S");
    }

    @Test
    void interruptionTakesNothing() throws Exception {
        Limiter limiter = busy();
        CountDownLatch interrupted = new CountDownLatch(1);
        CountDownLatch started = new CountDownLatch(1);
        Thread waiting = new Thread(() -> {
            started.countDown();
            try {
                limiter.acquire("k", 1, ofSeconds(100));
            } catch (InterruptedException e) {
                interrupted.countDown();
            }
        });
        waiting.start();
        started.await();
        waiting.interrupt();
        assertThat(interrupted.await(30, TimeUnit.SECONDS)).isTrue();
        waiting.join();
        time.advance(ofSeconds(1));
        assertThat(limiter.tryAcquire("k")).isTrue();
    }

    /** On the real clock and timer: everyone is served, nobody twice, and nothing is left behind. */
    @Test
    void manyThreadsWaitForReal() throws Exception {
        Limiter limiter = Limiter.local(Limit.tokenBucket(1000, ofSeconds(1)).burst(10));
        ExecutorService pool = Executors.newFixedThreadPool(16);
        try {
            List<Future<Decision>> turns = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                turns.add(pool.submit(() -> limiter.acquire("k", 1, ofSeconds(30))));
            }
            for (Future<Decision> turn : turns) {
                assertThat(turn.get(30, TimeUnit.SECONDS).allowed()).isTrue();
            }
        } finally {
            pool.shutdownNow();
        }
    }
}
