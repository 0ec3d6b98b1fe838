package dev.sluice.local;

import static java.time.Duration.ofHours;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.ManualClock;
import dev.sluice.Outcome;
import dev.sluice.Store;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Every wait ends, whatever happens to the limits, the clock and the store meanwhile. */
@Timeout(60)
class WaitingChangeTest {
    private final ManualClock time = new ManualClock();

    private Limiter limiter(Limit... limits) {
        return new LocalLimiterBuilder(limits).ticker(time).scheduler(time).build();
    }

    private static void assertDenied(CompletableFuture<Decision> wait) {
        assertThat(wait).isCompletedWithValueMatching(decision -> !decision.allowed(), "denied");
    }

    private static void assertAllowed(CompletableFuture<Decision> wait) {
        assertThat(wait).isCompletedWithValueMatching(Decision::allowed, "allowed");
    }

    @Test
    void waitersThatNoLongerFitALogAreRefusedAndTheRestGoesOn() {
        Limiter limiter = limiter(Limit.slidingLog(10, ofMillis(500)));
        limiter.decide("k", 10);
        CompletableFuture<Decision> first = limiter.acquireAsync("k", 8, ofHours(1));
        CompletableFuture<Decision> second = limiter.acquireAsync("k", 8, ofHours(1));
        limiter.change(Limit.slidingLog(3, ofSeconds(10)));
        assertThat(first).isCompletedWithValueMatching(Decision::never);
        assertThat(second).isCompletedWithValueMatching(Decision::never);
        Decision denied = limiter.decide("k", 1);
        assertThat(denied.allowed()).isFalse();
        assertThat(denied.retryAfter()).isEqualTo(ofSeconds(10));
        assertDenied(limiter.acquireAsync("k", 1, ofMillis(800)));
        assertThat(time.pending()).isZero();
    }

    @Test
    void aWaiterThatNoLongerFitsKeepsNobodyWaiting() {
        Limiter limiter = limiter(Limit.tokenBucket(10, ofSeconds(1)));
        limiter.decide("k", 10);
        CompletableFuture<Decision> large = limiter.acquireAsync("k", 8, ofHours(1));
        CompletableFuture<Decision> small = limiter.acquireAsync("k", 1, ofHours(1));
        limiter.change(Limit.tokenBucket(5, ofSeconds(1)));
        assertThat(large).isCompletedWithValueMatching(Decision::never);
        assertThat(small).isNotDone();
        time.advance(ofMillis(1200));
        assertAllowed(small);
    }

    @Test
    void aWaiterWhoseTurnIsNowTooLateIsRefusedAtOnce() {
        Limiter limiter = limiter(Limit.tokenBucket(1, ofSeconds(1)));
        limiter.decide("k");
        CompletableFuture<Decision> hasty = limiter.acquireAsync("k", 1, ofSeconds(2));
        CompletableFuture<Decision> patient = limiter.acquireAsync("k", 1, ofSeconds(60));
        limiter.change(Limit.tokenBucket(1, ofSeconds(60)));
        assertDenied(hasty);
        assertThat(hasty.join().retryAfter()).as("behind the patient one").isEqualTo(ofMinutes(2));
        assertThat(patient).isNotDone();
        time.advance(ofSeconds(60));
        assertAllowed(patient);
    }

    /** The turns of those behind come earlier when a waiter is refused, so they are not refused with it. */
    @Test
    void onlyThoseWithoutHopeAreRefused() {
        Limiter limiter = limiter(Limit.slidingLog(2, ofSeconds(10)));
        limiter.decide("k", 2);
        CompletableFuture<Decision> first = limiter.acquireAsync("k", 2, ofSeconds(12));
        CompletableFuture<Decision> second = limiter.acquireAsync("k", 1, ofSeconds(21));
        limiter.change(Limit.slidingLog(2, ofSeconds(15)));
        assertDenied(first);
        assertThat(second).isNotDone();
        time.advance(ofSeconds(15));
        assertAllowed(second);
    }

    @Test
    void waitersOfABucketThatBecomesAQueueStartOneAfterAnother() {
        Limiter limiter = limiter(Limit.tokenBucket(2, ofSeconds(2)));
        limiter.decide("k", 2);
        CompletableFuture<Decision> first = limiter.acquireAsync("k", 1, ofSeconds(60));
        CompletableFuture<Decision> second = limiter.acquireAsync("k", 1, ofSeconds(60));
        limiter.change(Limit.leakyBucket(1, ofSeconds(1)).capacity(2).queue());
        CompletableFuture<Decision> third = limiter.acquireAsync("k", 1, ofSeconds(60));
        time.advance(ofSeconds(2));
        assertAllowed(first);
        assertThat(second).isNotDone();
        time.advance(ofSeconds(1));
        assertAllowed(second);
        assertThat(third).isNotDone();
        time.advance(ofSeconds(1));
        assertAllowed(third);
    }

    /** Ten permits for the share of 100, five for that of 50. */
    @Test
    void aLowerShareThatIsOvertakenAndCannotComeInTimeIsRefused() {
        Limiter limiter = limiter(Limit.slidingLog(10, ofSeconds(10)));
        Limiter background = limiter.withShare(50);
        limiter.decide("k", 6);
        CompletableFuture<Decision> low = background.acquireAsync("k", 1, ofSeconds(12));
        time.advance(ofSeconds(5));
        assertThat(limiter.decide("k", 4).allowed()).isTrue();
        time.advance(ofMillis(1));
        assertThat(low)
                .as("four are in use until 15 s: one fits beside them from 10 s on")
                .isNotDone();
        CompletableFuture<Decision> high = limiter.acquireAsync("k", 6, ofSeconds(30));
        assertThat(high).isNotDone();
        assertThat(low).as("came first").isNotDone();
        time.advance(ofSeconds(5));
        assertAllowed(low);

        low = background.acquireAsync("k", 1, ofSeconds(6));
        assertThat(low)
                .as("five in use, four of them until 15 s, but the six go before")
                .isCompleted();
        assertDenied(low);
    }

    @Test
    void plainCallsOfAHigherShareTakeAWaitersHope() {
        Limiter limiter = limiter(Limit.slidingLog(10, ofSeconds(10)));
        Limiter background = limiter.withShare(50);
        limiter.decide("k", 5);
        CompletableFuture<Decision> low = background.acquireAsync("k", 5, ofSeconds(12));
        time.advance(ofSeconds(5));
        assertThat(limiter.decide("k", 1).allowed()).isTrue();
        assertThat(limiter.tryAcquire("k", 4)).isTrue();
        time.advance(ofMillis(1));
        assertDenied(low);
        assertThat(time.pending()).isZero();
    }

    /** C can go when B's permits are back, which were taken before A's although A came first. */
    @Test
    void theForecastKnowsWhichShareGoesFirst() {
        Limiter limiter = limiter(Limit.slidingLog(10, ofSeconds(10)));
        Limiter background = limiter.withShare(50);
        limiter.decide("k", 4);
        time.advance(ofSeconds(5));
        limiter.decide("k", 6);
        CompletableFuture<Decision> a = background.acquireAsync("k", 1, ofHours(1));
        CompletableFuture<Decision> b = limiter.acquireAsync("k", 4, ofHours(1));
        Decision denied = background.decide("k", 4);
        assertThat(denied.retryAfter()).isEqualTo(ofSeconds(15));
        CompletableFuture<Decision> c = background.acquireAsync("k", 4, ofSeconds(15));
        assertThat(c).isNotDone();
        time.advance(ofSeconds(15));
        assertAllowed(a);
        assertAllowed(b);
        assertAllowed(c);
    }

    @Test
    void whoeverExpiresAloneIsToldWhatIsLeft() {
        Limiter limiter = limiter(Limit.concurrency(10));
        limiter.decide("k", 4);
        CompletableFuture<Decision> wait = limiter.acquireAsync("k", 8, ofSeconds(1));
        time.advance(ofSeconds(1));
        assertDenied(wait);
        assertThat(wait.join().remaining()).isEqualTo(6);
        assertThat(limiter.decide("k", 6).allowed()).isTrue();
    }

    @Test
    void closingTheStoreAnswersThoseWhoWait() {
        Store store = Store.local(time);
        Limiter limiter = store.limiter("a", Limit.tokenBucket(1, ofHours(1)));
        Limiter queue =
                store.limiter("q", Limit.leakyBucket(1, ofHours(1)).capacity(2).queue());
        limiter.decide("k");
        queue.decide("k");
        CompletableFuture<Decision> wait = limiter.acquireAsync("k", 1, ofHours(2));
        CompletableFuture<Decision> delayed = queue.acquireAsync("k", 1, ofHours(2));
        assertThat(wait).isNotDone();
        assertThat(delayed).isNotDone();
        store.close();
        assertDenied(wait);
        assertThat(wait.join().retryAfter()).isEqualTo(ofHours(1));
        assertDenied(delayed);
        assertThat(queue.peek("k", 0).remaining()).as("refunded").isEqualTo(1);
        assertDenied(limiter.acquireAsync("k", 1, ofHours(2)));
        assertDenied(queue.acquireAsync("k", 1, ofHours(2)));
        assertAllowed(limiter.acquireAsync("other", 1, ofHours(2)));
        assertThat(limiter.decide("third").allowed()).isTrue();
        assertThat(limiter.decide("k").outcome()).isEqualTo(Outcome.DENIED);
    }

    @Test
    void aClockThatFailsOnceLeavesNobodyBehind() {
        AtomicInteger failures = new AtomicInteger();
        Limiter limiter = new LocalLimiterBuilder(Limit.tokenBucket(1, ofSeconds(1)))
                .ticker(() -> {
                    if (failures.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
                        throw new IllegalStateException("no time, as this test wants it");
                    }
                    return time.nanos();
                })
                .scheduler(time)
                .build();
        limiter.decide("k");
        CompletableFuture<Decision> wait = limiter.acquireAsync("k", 1, ofSeconds(60));
        failures.set(1);
        passQuietly(ofSeconds(3));
        assertAllowed(wait);

        limiter.decide("k");
        wait = limiter.acquireAsync("k", 1, ofSeconds(2));
        failures.set(Integer.MAX_VALUE);
        passQuietly(ofSeconds(3));
        assertThat(wait).as("its deadline has passed").isCompletedExceptionally();
        assertThat(time.pending()).isZero();
        failures.set(1);
        assertThatThrownBy(() -> limiter.decide("k")).hasMessageContaining("no time");
    }

    /** A scheduler that lets what an action throws through goes on with the next action. */
    private void passQuietly(Duration duration) {
        long end = time.nanos() + duration.toNanos();
        while (time.nanos() < end) {
            try {
                time.advance(Duration.ofNanos(end - time.nanos()));
            } catch (IllegalStateException thrown) {
                assertThat(thrown).hasMessageContaining("no time");
            }
        }
    }

    @Test
    void aWaitForEverOnAClockBelowZeroIsNotOver() {
        time.stepBack(ofSeconds(10));
        Limiter limiter = limiter(Limit.tokenBucket(1, ofSeconds(1)));
        limiter.decide("k");
        CompletableFuture<Decision> wait = limiter.acquireAsync("k", 1, Duration.ofSeconds(Long.MAX_VALUE));
        time.advance(ofMillis(999));
        assertThat(wait).isNotDone();
        time.advance(ofMillis(1));
        assertAllowed(wait);
    }
}
