package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.sluice.contract.FakeClock;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;

/** What each face of a limiter adds to the one decision behind them all. */
class FacesTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final FakeClock clock = new FakeClock(0);

    @Test
    void withoutAKeyIsTheEmptyKey() {
        Limiter limiter = Limiter.local(clock, Limit.slidingLog(20, SECOND));
        assertThat(limiter.tryAcquire()).isTrue();
        assertThat(limiter.tryAcquire(2)).isTrue();
        assertThat(limiter.decide().remaining()).isEqualTo(16);
        assertThat(limiter.decide(2).remaining()).isEqualTo(14);
        assertThat(limiter.peek().remaining()).isEqualTo(13);
        assertThat(limiter.peek("").remaining()).isEqualTo(13);
        assertThat(limiter.decide("").remaining()).isEqualTo(13);
        assertThat(limiter.tryAcquire("")).isTrue();
        Decision taken = limiter.decide(5);
        assertThat(taken.remaining()).isEqualTo(7);
        limiter.refund(taken);
        assertThat(limiter.peek("", 0).remaining()).isEqualTo(12);
        limiter.reset();
        assertThat(limiter.peek("", 0).remaining()).isEqualTo(20);
    }

    @Test
    void aConcurrencyLimitCannotBeTried() {
        Limiter limiter = Limiter.local(clock, Limit.slidingLog(5, SECOND), Limit.concurrency(5));
        assertThatIllegalStateException()
                .isThrownBy(() -> limiter.tryAcquire("a"))
                .withMessageContaining("hold");
        assertThat(limiter.peek("a", 0).remaining()).isEqualTo(5);
    }

    @Test
    void aQueueIsTriedOnlyForWorkThatStartsNow() {
        Limiter queue =
                Limiter.local(clock, Limit.leakyBucket(1, SECOND).capacity(5).queue());
        assertThat(queue.tryAcquire()).isTrue();
        assertThat(queue.tryAcquire()).isFalse();
        assertThat(queue.peek("", 0).remaining()).as("nothing was taken").isEqualTo(4);
        assertThat(queue.decide().delay()).isEqualTo(SECOND);
        clock.advance(2_000_000);
        assertThat(queue.tryAcquire()).isTrue();
    }

    @Test
    void aHoldEndsWhenItIsClosed() {
        Limiter limiter = Limiter.local(clock, Limit.concurrency(2), Limit.slidingLog(10, SECOND));
        Hold hold = limiter.hold("a", 2);
        assertThat(hold.allowed()).isTrue();
        assertThat(hold.decision().resetAfter()).isEqualTo(Decision.NEVER);
        try (Hold second = limiter.hold("a")) {
            assertThat(second.allowed()).isFalse();
            assertThat(second.decision().retryAfter()).isEqualTo(Decision.NEVER);
            assertThat(second.decision().outcome()).as("a release would help").isEqualTo(Outcome.DENIED);
        }
        assertThat(limiter.peek("a").allowed())
                .as("closing a denied hold frees nothing")
                .isFalse();
        assertThat(limiter.peek("b").allowed()).isTrue();
        hold.close();
        assertThat(limiter.peek("a", 2).allowed()).isTrue();
        try (Hold third = limiter.hold("a")) {
            hold.close();
            assertThat(third.allowed()).isTrue();
            assertThat(limiter.peek("a", 2).allowed())
                    .as("closing twice frees once")
                    .isFalse();
        }
        assertThat(limiter.decide("a", 0).limit()).isEqualTo(2);
        limiter.change(Limit.concurrency(100), Limit.slidingLog(10, SECOND));
        assertThat(limiter.peek("a", 0).remaining())
                .as("what the log took stays taken")
                .isEqualTo(7);
    }

    @Test
    void aDeniedDecisionHasNothingToGiveBack() {
        Limiter limiter = Limiter.local(clock, Limit.concurrency(2));
        limiter.decide("a", 2);
        Decision denied = limiter.decide("a", 1);
        limiter.refund("a", denied);
        limiter.release("a", denied);
        assertThat(limiter.peek("a").allowed()).isFalse();
    }

    @Test
    void workRunsOrFallsBack() throws IOException {
        Limiter limiter = Limiter.local(clock, Limit.slidingLog(1, SECOND));
        List<Decision> denials = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            String result = limiter.call("a", () -> "ran", denied -> {
                denials.add(denied);
                return "fell back";
            });
            assertThat(result).isEqualTo(i == 0 ? "ran" : "fell back");
        }
        assertThat(denials)
                .singleElement()
                .satisfies(d -> assertThat(d.retryAfter()).isEqualTo(SECOND));
    }

    @Test
    void workHoldsItsPermitWhileItRunsEvenIfItFails() {
        Limiter limiter = Limiter.local(clock, Limit.concurrency(1));
        assertThatIOException()
                .isThrownBy(() -> limiter.call(
                        "a",
                        () -> {
                            assertThat(limiter.peek("a").allowed()).isFalse();
                            throw new IOException("broken");
                        },
                        denied -> "fell back"));
        assertThat(limiter.peek("a").allowed()).isTrue();
    }

    @Test
    void resetForgetsOneKey() {
        Limiter limiter = Limiter.local(clock, Limit.slidingLog(1, SECOND), Limit.tokenBucket(1, SECOND));
        assertThat(limiter.tryAcquire("a")).isTrue();
        assertThat(limiter.tryAcquire("b")).isTrue();
        limiter.reset("a");
        limiter.reset("never seen");
        assertThat(limiter.tryAcquire("a")).isTrue();
        assertThat(limiter.tryAcquire("b")).isFalse();
    }

    @Test
    void waitsAndHoldsForOnePermitUnlessToldOtherwise() throws InterruptedException {
        Limiter two = Limiter.local(clock, Limit.concurrency(2));
        assertThat(two.acquire("a", SECOND).remaining()).isEqualTo(1);
        assertThat(two.acquireAsync("a", SECOND).join().remaining()).isZero();
        Hold hold = two.hold("b", SECOND);
        assertThat(hold.decision().remaining()).isEqualTo(1);
        assertThat(two.holdAsync("b", SECOND).join().decision().remaining()).isZero();
    }

    @Test
    void aHoldThatNobodyWaitsForAnyMoreTakesNothing() {
        Limiter one = Limiter.local(clock, Limit.concurrency(1));
        Hold first = one.hold("a");
        CompletableFuture<Hold> cancelled = one.holdAsync("a", SECOND);
        CompletableFuture<Hold> completed = one.holdAsync("a", SECOND);
        cancelled.cancel(true);
        completed.complete(first);
        first.close();
        assertThat(one.peek("a", 0).remaining()).isEqualTo(1);
    }

    @Test
    void callsWithPermitsAndAWait() throws InterruptedException {
        Limiter three = Limiter.local(clock, Limit.concurrency(3));
        assertThat(three.<String, RuntimeException>call(
                        "a", 2, SECOND, () -> "left " + three.peek("a", 0).remaining(), denied -> "denied"))
                .isEqualTo("left 1");
        assertThat(three.peek("a", 0).remaining()).isEqualTo(3);
        assertThat(three.<String, RuntimeException>call(
                        "a", 4, SECOND, () -> "ran", denied -> denied.outcome().name()))
                .isEqualTo("NEVER");
    }

    @Test
    void holdsThePermitUntilTheFutureOfTheWorkEnds() {
        Limiter one = Limiter.local(clock, Limit.concurrency(1));
        CompletableFuture<String> work = new CompletableFuture<>();
        CompletableFuture<String> result = one.callAsync("a", () -> work, denied -> "denied");
        assertThat(one.callAsync("a", () -> work, denied -> "denied")).isCompletedWithValue("denied");
        work.complete("done");
        assertThat(result).isCompletedWithValue("done");
        assertThat(one.peek("a", 0).remaining()).isEqualTo(1);
    }

    @Test
    void releasesThePermitOfWorkThatFailsOrDoesNotStart() {
        Limiter one = Limiter.local(clock, Limit.concurrency(1));
        CompletableFuture<Object> failed = CompletableFuture.failedFuture(new IOException("no"));
        assertThat(one.callAsync("a", () -> failed, denied -> "denied"))
                .isCompletedExceptionally()
                .failsWithin(Duration.ZERO)
                .withThrowableOfType(ExecutionException.class)
                .withCauseInstanceOf(IOException.class);
        assertThat(one.callAsync(
                        "a",
                        () -> {
                            throw new AssertionError("no");
                        },
                        denied -> "denied"))
                .isCompletedExceptionally();
        assertThat(one.peek("a", 0).remaining()).isEqualTo(1);
    }

    @Test
    void aCallThatNobodyWaitsForAnyMoreDoesNotRun() {
        Limiter one = Limiter.local(clock, Limit.concurrency(1));
        Hold first = one.hold("a");
        CompletableFuture<String> waiting =
                one.callAsync("a", 1, SECOND, () -> CompletableFuture.completedFuture("ran"), denied -> "denied");
        waiting.cancel(true);
        first.close();
        assertThat(one.peek("a", 0).remaining()).isEqualTo(1);
    }

    @Test
    void saysWhenToRetryInWholeSeconds() {
        Limiter limiter = Limiter.local(clock, Limit.slidingLog(1, Duration.ofMillis(1500)), Limit.concurrency(1));
        assertThat(limiter.decide("a").retryAfterSeconds()).hasValue(0);
        clock.advance(1);
        assertThat(limiter.peek("a").retryAfterSeconds()).as("held, too").isEmpty();
        assertThat(limiter.peek("a").never()).isTrue();
        assertThat(limiter.peek("a").retryAfter().toMillis()).isPositive();
        assertThat(limiter.peek("a").resetAfter().toNanos()).isEqualTo(Long.MAX_VALUE);
        Limiter log = Limiter.local(clock, Limit.slidingLog(1, Duration.ofMillis(1500)));
        log.decide("a");
        assertThat(log.peek("a").retryAfterSeconds()).hasValue(2);
        clock.advance(500_000);
        assertThat(log.peek("a").retryAfterSeconds()).hasValue(1);
    }
}
