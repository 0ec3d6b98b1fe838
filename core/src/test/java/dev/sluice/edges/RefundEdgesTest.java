package dev.sluice.edges;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.sluice.Decision;
import dev.sluice.Hold;
import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.contract.FakeClock;
import dev.sluice.contract.Kinds;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What a refund gives back, and what it must not free. */
class RefundEdgesTest {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration TEN = Duration.ofSeconds(10);

    private final FakeClock clock = new FakeClock(0);

    static Stream<Limit> limits() {
        return Stream.of(
                Limit.slidingLog(5, TEN),
                Limit.slidingWindow(5, TEN, 10),
                Limit.slidingWindow(5, TEN, 10).weighted());
    }

    static Stream<Limit> tens() {
        return Kinds.rates(10, SECOND);
    }

    @ParameterizedTest
    @MethodSource("limits")
    void aSecondRefundFindsNothingLeft(Limit limit) {
        Limiter limiter = Limiter.local(clock, limit);
        limiter.decide("k", 2);
        clock.advance(2_000_000);
        Decision taken = limiter.decide("k", 2);
        for (int i = 0; i < 3; i++) {
            limiter.refund("k", taken);
            assertThat(limiter.peek("k", 0).remaining()).isEqualTo(3);
        }
        clock.advance(20_000_000);
        limiter.refund("k", taken);
        assertThat(limiter.peek("k", 0).remaining()).isEqualTo(5);
    }

    // ---- Buckets

    @Test
    void tenRefundsLoseTheTimeSinceTheyWereTakenOnce() {
        for (boolean lastFirst : new boolean[] {false, true}) {
            Limiter limiter = Limiter.local(clock, Limit.tokenBucket(10, SECOND).burst(20));
            List<Decision> taken = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                taken.add(limiter.decide("k", 1));
            }
            clock.advance(100_000);
            assertThat(limiter.peek("k", 0).remaining()).isEqualTo(11);
            if (lastFirst) {
                Collections.reverse(taken);
            }
            taken.forEach(each -> limiter.refund("k", each));
            assertThat(limiter.peek("k", 0).remaining()).isEqualTo(20);
        }
    }

    @Test
    void whatIsStillOutKeepsTheRefundFromBeingRegained() {
        Limiter limiter = Limiter.local(
                clock, Limit.tokenBucket(600, Duration.ofMinutes(1)).burst(1000));
        limiter.decide("k", 700);
        Decision taken = limiter.decide("k", 300);
        clock.advance(30_000_000);
        assertThat(limiter.peek("k", 0).remaining()).isEqualTo(300);
        limiter.refund("k", taken);
        assertThat(limiter.peek("k", 0).remaining()).isEqualTo(600);
    }

    @Test
    void theDebtThatARequestFoundMayHaveBeenRefunded() {
        Limiter limiter = Limiter.local(clock, Limit.tokenBucket(1, SECOND).burst(10));
        Decision first = limiter.decide("k", 5);
        Decision second = limiter.decide("k", 5);
        limiter.refund("k", first);
        clock.advance(4_000_000);
        assertThat(limiter.decide("k", 9).remaining()).isZero();
        limiter.refund("k", second);
        assertThat(limiter.peek("k", 0).remaining())
                .as("1 of the 5 was still missing when the 9 came")
                .isEqualTo(1);
    }

    @Test
    void whatWasTakenBeforeTheBucketWasFullHasComeBack() {
        Limiter limiter = Limiter.local(clock, Limit.tokenBucket(1, SECOND).burst(10));
        Decision early = limiter.decide("k", 10);
        for (int i = 0; i < 9; i++) { // marks grow with what is refunded
            limiter.refund("k", early, 1);
            limiter.decide("k", 1);
        }
        clock.advance(3_000_000);
        Decision old = limiter.decide("k", 3);
        clock.advance(60_000_000);
        limiter.decide("k", 10);
        limiter.refund("k", old);
        assertThat(limiter.peek("k", 0).remaining()).isZero();
    }

    @Test
    void aKeyThatWasForgottenRefundsNothingOfItsEarlierUse() {
        Limiter limiter = Limiter.local(clock, Limit.tokenBucket(1, SECOND).burst(10));
        Decision kept = limiter.decide("k", 4);
        Decision refunded = limiter.decide("k", 6);
        limiter.refund("k", kept, 2);
        limiter.refund("k", kept, 2);
        Decision old = limiter.decide("k", 4);
        limiter.refund("k", refunded, 3);
        clock.advance(3_600_000_000L);
        for (int i = 0; i < 5_000; i++) { // other keys, so that this one is dropped
            limiter.decide("other " + i, 1);
            clock.advance(1_000_000);
        }
        limiter.decide("k", 10);
        limiter.refund("k", old);
        assertThat(limiter.peek("k", 0).remaining()).isZero();
    }

    @ParameterizedTest
    @MethodSource("tens")
    void undoingTheLastRequestsInAnyOrderLeavesNothingTaken(Limit limit) {
        for (boolean lastFirst : new boolean[] {false, true}) {
            Limiter limiter = Limiter.local(clock, limit);
            Decision first = limiter.decide("k", 2);
            Decision second = limiter.decide("k", 3);
            limiter.refund("k", lastFirst ? second : first);
            limiter.refund("k", lastFirst ? first : second);
            long remaining = limit.delays() && !lastFirst ? 8 : 10; // the first place of the queue stays empty
            assertThat(limiter.peek("k", 0).remaining()).isEqualTo(remaining);
        }
    }

    // ---- A queue

    @Test
    void aPlaceInTheMiddleOfAQueueStaysEmpty() {
        Limiter queue =
                Limiter.local(clock, Limit.leakyBucket(1, SECOND).capacity(5).queue());
        queue.decide("k");
        Decision second = queue.decide("k");
        Decision third = queue.decide("k");
        queue.refund("k", second);
        assertThat(queue.decide("k").delay()).as("behind the third").isEqualTo(Duration.ofSeconds(3));
        queue.refund("k", third);
        assertThat(queue.decide("k").delay()).isEqualTo(Duration.ofSeconds(4));
    }

    @Test
    void theLastOfAQueueLeavesItAndThenTheOneBeforeIsTheLast() {
        Limiter queue =
                Limiter.local(clock, Limit.leakyBucket(1, SECOND).capacity(5).queue());
        queue.decide("k");
        Decision second = queue.decide("k");
        Decision third = queue.decide("k");
        queue.refund("k", third);
        queue.refund("k", second);
        assertThat(queue.decide("k").delay()).isEqualTo(SECOND);
        queue.refund("k", third);
        assertThat(queue.decide("k").delay()).as("it has left already").isEqualTo(Duration.ofSeconds(2));
    }

    @Test
    void aPartOfAPlaceIsRefundedOnlyWhileNobodyIsBehindIt() {
        Limiter queue =
                Limiter.local(clock, Limit.leakyBucket(1, SECOND).capacity(9).queue());
        Decision first = queue.decide("k", 5);
        queue.refund("k", first, 2);
        Decision second = queue.decide("k", 2);
        assertThat(second.delay()).isEqualTo(Duration.ofSeconds(3));
        queue.refund("k", first, 2);
        assertThat(queue.decide("k").delay()).isEqualTo(Duration.ofSeconds(5));
    }

    // ---- A fixed window

    @Test
    void aWindowWhoseOpenerIsRefundedEndsAsBefore() {
        Limiter window = Limiter.local(clock, Limit.fixedWindow(5, TEN));
        Decision opener = window.decide("k", 1);
        clock.advance(4_000_000);
        window.decide("k", 5 - 1);
        window.refund("k", opener);
        assertThat(window.decide("k", 1).allowed()).isTrue();
        assertThat(window.peek("k").retryAfter()).isEqualTo(Duration.ofSeconds(6));
        clock.advance(6_000_000);
        assertThat(window.decide("k", 5).allowed())
                .as("at most twice the limit in a period")
                .isTrue();
        assertThat(window.decide("k", 1).allowed()).isFalse();
    }

    @Test
    void aWindowOfWhichNothingIsLeftHasNotBegun() {
        Limiter window = Limiter.local(clock, Limit.fixedWindow(5, TEN));
        Decision opener = window.decide("k", 1);
        clock.advance(4_000_000);
        window.refund("k", opener);
        window.decide("k", 5);
        assertThat(window.peek("k").retryAfter()).isEqualTo(TEN);
    }

    // ---- A part of a decision

    @ParameterizedTest
    @MethodSource("tens")
    void aDecisionIsRefundedInParts(Limit limit) {
        Limiter limiter = Limiter.local(clock, limit);
        Decision taken = limiter.decide("k", 9);
        limiter.refund("k", taken, 0);
        assertThat(limiter.peek("k", 0).remaining()).isEqualTo(1);
        limiter.refund("k", taken, 2);
        assertThat(limiter.peek("k", 0).remaining()).isEqualTo(3);
        limiter.refundAsync("k", taken, 3).join();
        assertThat(limiter.peek("k", 0).remaining()).isEqualTo(6);
        Decision one = limiter.decide(4);
        limiter.refund(one, 3);
        assertThat(limiter.peek("", 0).remaining()).isEqualTo(9);
    }

    @Test
    void aPartIsNotMoreThanTheWhole() {
        Limiter limiter = Limiter.local(clock, Limit.tokenBucket(10, SECOND));
        Decision taken = limiter.decide("k", 3);
        for (long unused : new long[] {-1, 4, Long.MAX_VALUE}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> limiter.refund("k", taken, unused))
                    .withMessageContaining("0 to 3")
                    .withMessageContaining("was " + unused);
        }
    }

    @Test
    void aPartOfWhatIsHeldStaysHeldUntilTheWholeIsReleased() {
        Limiter limiter = Limiter.local(clock, Limit.concurrency(10));
        Decision taken = limiter.decide("k", 4);
        limiter.decide("k", 3);
        limiter.refund("k", taken, 1);
        assertThat(limiter.peek("k", 0).remaining()).isEqualTo(3);
        limiter.release("k", taken);
        assertThat(limiter.peek("k", 0).remaining()).isEqualTo(7);
    }

    // ---- Peeks, resets and changes

    @ParameterizedTest
    @MethodSource("tens")
    void aPeekHasNothingToRefund(Limit limit) {
        Limiter limiter = Limiter.local(clock, limit);
        limiter.decide("k", 6);
        limiter.refund("k", limiter.peek("k", 2));
        assertThat(limiter.peek("k", 0).remaining()).isEqualTo(4);
    }

    static Stream<Limit> buckets() {
        return Stream.of(
                Limit.tokenBucket(10, SECOND),
                Limit.leakyBucket(10, SECOND),
                Limit.leakyBucket(10, SECOND).queue());
    }

    @ParameterizedTest
    @MethodSource("buckets")
    void whatAResetForgaveIsNotRefundedToo(Limit limit) {
        for (long later : new long[] {0, 1, 100_000}) {
            Limiter limiter = Limiter.local(clock, limit);
            Decision forgiven = limiter.decide("k", 10);
            limiter.reset("k");
            clock.advance(later);
            assertThat(limiter.decide("k", 10).remaining()).isZero();
            limiter.refund("k", forgiven);
            assertThat(limiter.peek("k", 0).remaining()).isZero();
        }
    }

    @Test
    void aHoldOfAnEarlierConcurrencyLimitFreesNothingOfALaterOne() {
        Limiter limiter = Limiter.local(clock, Limit.concurrency(1));
        Hold early = limiter.hold("k");
        limiter.change(Limit.tokenBucket(1, SECOND));
        limiter.change(Limit.concurrency(1));
        Hold late = limiter.hold("k");
        assertThat(late.allowed()).isTrue();
        early.close();
        assertThat(limiter.peek("k").allowed()).isFalse();
        late.close();
        assertThat(limiter.peek("k").allowed()).isTrue();
    }

    @Test
    void aRefundReachesTheLimitThatWasChargedWhereverItStands() {
        Limit second = Limit.tokenBucket(10, SECOND);
        Limit day = Limit.fixedWindow(100, Duration.ofDays(1)).aligned();
        Limiter limiter = Limiter.local(clock, second, day);
        Decision taken = limiter.decide("k", 6);
        limiter.change(day, Limit.slidingLog(50, SECOND), second);
        limiter.refund("k", taken);
        assertThat(limiter.peek("k", 0).perLimit())
                .extracting(Decision::remaining)
                .containsExactly(100L, 50L, 10L);
    }

    @Test
    void aLimitThatWasAddedLaterRefundsNothing() {
        Limit log = Limit.slidingLog(10, SECOND);
        Limit day = Limit.fixedWindow(100, Duration.ofDays(1)).aligned();
        Limiter limiter = Limiter.local(clock, log);
        Decision early = limiter.decide("k", 6);
        limiter.change(day, log);
        limiter.decide("k", 3);
        limiter.refund("k", early);
        assertThat(limiter.peek("k", 0).perLimit())
                .extracting(Decision::remaining)
                .containsExactly(97L, 7L);
        limiter.change(log);
        limiter.refund("k", early);
        assertThat(limiter.peek("k", 0).remaining())
                .as("no entry of that instant but those of the later request")
                .isGreaterThanOrEqualTo(7);
    }

    @Test
    void aRateThatHasChangedGivesBackNothingTakenAtTheOld() {
        Limiter limiter = Limiter.local(clock, Limit.tokenBucket(1000, SECOND).burst(10));
        Decision taken = limiter.decide("k", 10);
        limiter.change(Limit.tokenBucket(1, SECOND).burst(10));
        clock.advance(5_000_000);
        limiter.refund("k", taken);
        assertThat(limiter.peek("k", 0).remaining()).isEqualTo(5);
        Decision next = limiter.decide("k", 5);
        limiter.change(Limit.tokenBucket(1, SECOND).burst(20));
        limiter.refund("k", next);
        assertThat(limiter.peek("k", 0).remaining())
                .as("only the burst changed")
                .isEqualTo(15);
    }
}
