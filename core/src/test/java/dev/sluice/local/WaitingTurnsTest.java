package dev.sluice.local;

import static java.time.Duration.ofDays;
import static java.time.Duration.ofHours;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofNanos;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.ManualClock;
import dev.sluice.Scheduler;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Turns are known after whatever has happened to the queue, and knowing them costs little. */
@Timeout(60)
class WaitingTurnsTest {
    private final ManualClock time = new ManualClock();

    private LocalLimiter limiter(Limit... limits) {
        return limiter(time, limits);
    }

    private LocalLimiter limiter(Scheduler scheduler, Limit... limits) {
        return new LocalLimiterBuilder(limits).ticker(time).scheduler(scheduler).build();
    }

    private static WaitQueue queue(LocalLimiter limiter) {
        return Objects.requireNonNull(limiter.core.waiting.queue("k"));
    }

    private static void assertDenied(CompletableFuture<Decision> wait) {
        assertThat(wait).isCompletedWithValueMatching(decision -> !decision.allowed(), "denied");
    }

    private static void assertAllowed(CompletableFuture<Decision> wait) {
        assertThat(wait).isCompletedWithValueMatching(Decision::allowed, "allowed");
    }

    // ---- What delays a turn

    @Test
    void whoeverIsServedLateMakesThoseBehindLate() {
        ManualClock alarms = new ManualClock(); // comes after the limiter's own clock
        Limiter limiter = limiter(alarms, Limit.slidingLog(1, ofSeconds(10)));
        limiter.decide("k");
        CompletableFuture<Decision> first = limiter.acquireAsync("k", 1, ofSeconds(60));
        CompletableFuture<Decision> second = limiter.acquireAsync("k", 1, ofSeconds(20));
        assertThat(second).isNotDone();
        time.advance(ofSeconds(12));
        alarms.advance(ofSeconds(12));
        assertAllowed(first);
        assertDenied(second);
        assertThat(second.join().retryAfter()).isEqualTo(ofSeconds(10));
    }

    /** Eight are in use until 10 s, two until 15 s; at 5 s three begin to wait. */
    private LocalLimiter nearlyFull() {
        LocalLimiter limiter = limiter(Limit.slidingLog(10, ofSeconds(10)));
        limiter.decide("k", 8);
        time.advance(ofSeconds(5));
        limiter.decide("k", 2);
        return limiter;
    }

    /** Five of a half can start at 15 s, if not eight of the whole start at 10 s. */
    @Test
    void whoeverIsOvertakenByAHigherShareIsLeftOutOfTheForecast() {
        Limiter limiter = nearlyFull();
        Limiter half = limiter.withShare(50);
        CompletableFuture<Decision> overtaken = half.acquireAsync("k", 5, ofSeconds(11));
        CompletableFuture<Decision> behind = half.acquireAsync("k", 3, ofHours(1));
        assertThat(overtaken).isNotDone();
        CompletableFuture<Decision> high = limiter.acquireAsync("k", 8, ofHours(1));
        assertDenied(overtaken);
        assertThat(half.peek("k", 1).retryAfter())
                .as("three start at 10 s, eight when those are back")
                .isEqualTo(ofSeconds(25));
        time.advance(ofSeconds(5));
        assertAllowed(behind);
        assertThat(high).isNotDone();
        time.advance(ofSeconds(10));
        assertAllowed(high);
        time.advance(ofSeconds(10).minus(ofNanos(1000)));
        assertThat(half.peek("k", 1).allowed()).isFalse();
        time.advance(ofNanos(1000));
        assertThat(half.decide("k", 1).allowed()).isTrue();
    }

    /** The one who left had barred another, who goes before a third now. */
    @Test
    void whoeverLeavesMayDelayAHigherShare() {
        Limiter limiter = nearlyFull();
        Limiter half = limiter.withShare(50);
        CompletableFuture<Decision> leaving = half.acquireAsync("k", 5, ofHours(1));
        CompletableFuture<Decision> behind = half.acquireAsync("k", 3, ofHours(1));
        CompletableFuture<Decision> high = limiter.acquireAsync("k", 8, ofSeconds(12));
        assertThat(high).as("starts at 10 s").isNotDone();
        leaving.cancel(false);
        assertDenied(high);
        time.advance(ofSeconds(5));
        assertAllowed(behind);
    }

    @Test
    void aRefundMayDelayAHigherShare() {
        Limiter limiter = limiter(Limit.slidingLog(10, ofSeconds(10)));
        Limiter half = limiter.withShare(50);
        limiter.decide("k", 5);
        time.advance(ofSeconds(5));
        Decision taken = limiter.decide("k", 4);
        CompletableFuture<Decision> low = half.acquireAsync("k", 2, ofHours(1));
        CompletableFuture<Decision> high = limiter.acquireAsync("k", 6, ofSeconds(6));
        assertThat(low).as("starts at 20 s").isNotDone();
        assertThat(high).as("starts at 10 s").isNotDone();
        limiter.refund("k", taken, 1);
        assertDenied(high);
        time.advance(ofSeconds(5));
        assertAllowed(low);
    }

    // ---- What brings a turn nearer

    @Test
    void aRefundLetsMoreComeInTime() {
        Limiter limiter = limiter(Limit.tokenBucket(4, ofSeconds(4)));
        Decision taken = limiter.decide("k", 4);
        CompletableFuture<Decision> first = limiter.acquireAsync("k", 4, ofHours(1));
        assertDenied(limiter.acquireAsync("k", 1, ofSeconds(3)));
        limiter.refund("k", taken, 2);
        CompletableFuture<Decision> second = limiter.acquireAsync("k", 1, ofSeconds(3));
        assertThat(second).isNotDone();
        time.advance(ofSeconds(3));
        assertAllowed(first);
        assertAllowed(second);
    }

    @Test
    void whoeverExpiresLetsMoreComeInTime() {
        Limiter limiter = limiter(Limit.concurrency(1), Limit.slidingLog(2, ofSeconds(10)));
        limiter.decide("k");
        CompletableFuture<Decision> expiring = limiter.acquireAsync("k", 1, ofSeconds(5));
        limiter.acquireAsync("k", 1, ofHours(1));
        time.advance(ofSeconds(5));
        assertDenied(expiring);
        limiter.acquireAsync("k", 1, ofHours(1));
        assertThat(limiter.acquireAsync("k", 1, ofSeconds(12)))
                .as("may start at 15 s, behind one at 5 s and one at 10 s")
                .isNotDone();
        assertDenied(limiter.acquireAsync("k", 1, ofSeconds(12)));
    }

    @Test
    void whoeverStoodBehindAHopelessOneIsServedAtOnce() {
        Limiter limiter = limiter(Limit.slidingLog(2, ofSeconds(10)));
        limiter.decide("k");
        CompletableFuture<Decision> large = limiter.acquireAsync("k", 2, ofSeconds(12));
        CompletableFuture<Decision> small = limiter.acquireAsync("k", 1, ofHours(1));
        assertThat(small).isNotDone();
        limiter.change(Limit.slidingLog(2, ofSeconds(15)));
        assertDenied(large);
        assertAllowed(small);
    }

    // ---- What others are told

    /** Six are in use until 10 s, four until 15 s; a fifth of the limit is free at 20 s only. */
    @Test
    void retryAfterPassesThoseOfALowerShare() {
        LocalLimiter limiter = limiter(Limit.slidingLog(10, ofSeconds(10)));
        limiter.decide("k", 6);
        time.advance(ofSeconds(5));
        limiter.decide("k", 4);
        CompletableFuture<Decision> low = limiter.withShare(20).acquireAsync("k", 2, ofHours(1));
        CompletableFuture<Decision> high = limiter.acquireAsync("k", 4, ofHours(1));
        long steps = queue(limiter).forecastSteps();
        assertThat(limiter.peek("k", 2).retryAfter()).isEqualTo(ofSeconds(5));
        assertThat(queue(limiter).forecastSteps() - steps)
                .as("only the one ahead was looked at")
                .isEqualTo(1);
        time.advance(ofSeconds(5).minus(ofNanos(1000)));
        assertThat(limiter.peek("k", 2).allowed()).isFalse();
        time.advance(ofNanos(1000));
        assertAllowed(high);
        assertThat(limiter.decide("k", 2).allowed()).isTrue();
        assertThat(low).isNotDone();
        time.advance(ofSeconds(10));
        assertAllowed(low);
    }

    // ---- What it costs

    @Test
    void aQueueThatIsServedOnTimeNeedsNoOtherForecast() {
        LocalLimiter limiter = limiter(Limit.slidingLog(1, ofSeconds(1)));
        limiter.decide("k");
        List<CompletableFuture<Decision>> waits = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            waits.add(limiter.acquireAsync("k", 1, ofHours(1)));
        }
        WaitQueue queue = queue(limiter);
        assertThat(queue.forecastSteps()).isEqualTo(100);
        waits.get(50).cancel(false);
        assertThat(queue.forecastSteps()).as("leaving").isEqualTo(100);
        assertDenied(limiter.acquireAsync("k", 1, ofSeconds(2)));
        assertThat(queue.forecastSteps()).as("made again once").isEqualTo(199);
        limiter.acquireAsync("k", 1, ofHours(1));
        assertThat(queue.forecastSteps()).as("one more").isEqualTo(200);
        time.advance(ofSeconds(101));
        assertThat(waits).allMatch(CompletableFuture::isDone);
        assertThat(queue.forecastSteps()).isEqualTo(200);
    }

    @Test
    void releasesNeedNoForecast() {
        LocalLimiter limiter = limiter(Limit.concurrency(1), Limit.slidingLog(1000, ofHours(1)));
        Decision held = limiter.decide("k");
        List<CompletableFuture<Decision>> waits = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            waits.add(limiter.acquireAsync("k", 1, ofHours(1)));
        }
        WaitQueue queue = queue(limiter);
        for (CompletableFuture<Decision> wait : waits) {
            time.advance(ofMillis(1));
            limiter.release("k", held);
            held = wait.join();
        }
        assertThat(queue.forecastSteps()).isEqualTo(100);
    }

    @Test
    void nothingIsForeseenOfHeldPermits() {
        LocalLimiter limiter = limiter(Limit.concurrency(1));
        limiter.decide("k");
        for (int i = 0; i < 10; i++) {
            limiter.acquireAsync("k", 1, ofHours(1));
        }
        assertThat(limiter.peek("k").retryAfter()).isEqualTo(Decision.NEVER);
        assertThat(queue(limiter).forecastSteps()).isZero();
    }

    @Test
    void manyWhoOvertakeCostOneForecastInAMillisecond() {
        LocalLimiter limiter = limiter(Limit.slidingLog(1000, ofSeconds(10)));
        limiter.decide("k", 500);
        for (int i = 0; i < 20; i++) {
            limiter.withShare(50).acquireAsync("k", 1, ofHours(1));
        }
        WaitQueue queue = queue(limiter);
        for (int i = 0; i < 50; i++) {
            assertThat(limiter.tryAcquire("k")).isTrue();
            time.advance(ofNanos(10_000));
        }
        assertThat(queue.forecastSteps()).isEqualTo(20);
        time.advance(ofMillis(1));
        assertThat(queue.forecastSteps()).isEqualTo(40);
    }

    @Test
    void aWallClockIsLookedAtOnceASecond() {
        AtomicInteger scheduled = new AtomicInteger();
        Scheduler counting = (delay, action) -> {
            scheduled.incrementAndGet();
            return time.schedule(delay, action);
        };
        Limiter limiter = new LocalLimiterBuilder(
                        Limit.fixedWindow(1, ofDays(1)).aligned())
                .ticker(time)
                .scheduler(counting)
                .wallClock(() -> time.nanos() / 1000)
                .build();
        limiter.decide("k");
        CompletableFuture<Decision> wait = limiter.acquireAsync("k", 1, ofDays(2));
        assertThat(scheduled).as("its deadline, and the next look").hasValue(2);
        time.advance(ofMillis(999));
        assertThat(scheduled).hasValue(2);
        time.advance(ofMillis(1));
        assertThat(scheduled).hasValue(3);
        wait.cancel(false);
        assertThat(time.pending()).isZero();
    }

    // ---- Long queues

    private static final int MANY = 2000;

    private final List<CompletableFuture<Decision>> many = new ArrayList<>();

    /** One permit a second, many who wait for a day at most, and all forecasts that were paid for have been made. */
    private LocalLimiter crowded() {
        LocalLimiter limiter = limiter(Limit.slidingLog(1, ofSeconds(1)));
        limiter.decide("k");
        for (int i = 0; i < MANY; i++) {
            many.add(limiter.acquireAsync("k", 1, ofDays(1)));
        }
        leave(1);
        assertThat(limiter.peek("k").retryAfter()).isEqualTo(ofSeconds(MANY));
        return limiter;
    }

    private void leave(int count) {
        for (int i = 0; i < count; i++) {
            many.remove(many.size() - 1).cancel(false);
        }
    }

    @Test
    void callsThatDoNotWaitPayForAForecast() {
        LocalLimiter limiter = crowded();
        leave(1);
        assertThat(limiter.peek("k").retryAfter()).as("an estimate").isEqualTo(ofSeconds(MANY));
        for (int i = 0; i < MANY / Turns.FREE_STEPS; i++) {
            limiter.peek("k");
        }
        assertThat(limiter.peek("k").retryAfter()).isEqualTo(ofSeconds(MANY - 1));
    }

    @Test
    void thoseWhoLeavePayForAForecast() {
        LocalLimiter limiter = crowded();
        int count = MANY / Turns.FREE_STEPS;
        leave(count);
        assertThat(limiter.peek("k").retryAfter()).isEqualTo(ofSeconds(MANY - count));
    }

    @Test
    void whoeverCouldNotComeInTimeAloneIsRefusedWithoutAForecast() {
        LocalLimiter limiter = crowded();
        leave(1);
        long steps = queue(limiter).forecastSteps();
        assertDenied(limiter.acquireAsync("k", 1, ofMillis(999)));
        assertThat(limiter.acquireAsync("k", 1, ofSeconds(1)))
                .as("joins, until there is a forecast")
                .isNotDone();
        assertThat(queue(limiter).forecastSteps()).isEqualTo(steps);
    }

    @Test
    void otherLimitsRefuseAllWhoAreHopelessAtOnce() {
        LocalLimiter limiter = crowded();
        leave(1);
        limiter.change(Limit.slidingLog(1, ofHours(1)));
        assertThat(many.stream().filter(wait -> !wait.isDone())).hasSize(24);
    }
}
