package dev.sluice;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.FakeClock;
import dev.sluice.contract.Kinds;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Other limits put in force while the limiter runs: what has been used stays used. */
class CarryOverTest {
    private static final Duration SECOND = ofSeconds(1);

    private final FakeClock clock = new FakeClock(1_700_000_000_000_000L);

    /** One limit of every kind: with 10, with fewer and with more permits, at the same rate. */
    static Stream<Arguments> kinds() {
        List<Limit> less = sized(4);
        List<Limit> more = sized(15);
        List<Limit> tens = sized(10);
        return Stream.iterate(0, i -> i + 1)
                .limit(tens.size())
                .map(i -> Arguments.of(tens.get(i), less.get(i), more.get(i)));
    }

    private static List<Limit> sized(long permits) {
        return Stream.concat(
                        Kinds.rates(permits, SECOND).filter(limit -> !isBucket(limit)),
                        Stream.of(
                                Limit.tokenBucket(10, SECOND).burst(permits),
                                Limit.leakyBucket(10, SECOND).capacity(permits),
                                Limit.leakyBucket(10, SECOND).capacity(permits).queue(),
                                Limit.concurrency(permits)))
                .toList();
    }

    private static boolean isBucket(Limit limit) {
        return limit instanceof Limit.TokenBucket || limit instanceof Limit.LeakyBucket;
    }

    static Stream<Arguments> pairs() {
        return sized(10).stream().flatMap(from -> sized(10).stream().map(to -> Arguments.of(from, to)));
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void loweringForgivesNothing(Limit ten, Limit four, Limit fifteen) {
        for (String key : List.of("", "a")) {
            Limiter limiter = Limiter.local(clock, ten);
            limiter.decide(key, 6);
            limiter.change(four);
            assertThat(limiter.limits()).containsExactly(four);
            Decision denied = limiter.decide(key, 1);
            assertThat(denied.outcome()).isEqualTo(Outcome.DENIED);
            assertThat(denied.limit()).isEqualTo(4);
            assertThat(denied.remaining()).isZero();
            isTight(limiter, key, denied);
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void raisingGivesTheDifferenceAtOnce(Limit ten, Limit four, Limit fifteen) {
        for (String key : List.of("", "a")) {
            Limiter limiter = Limiter.local(clock, ten);
            limiter.decide(key, 10);
            assertThat(limiter.decide(key, 1).allowed()).isFalse();
            limiter.change(fifteen);
            assertThat(limiter.decide(key, 6).allowed()).isFalse();
            assertThat(limiter.decide(key, 5).remaining()).isZero();
            assertThat(limiter.decide("another", 15).allowed()).isTrue();
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void thereAndBackLeavesNoMark(Limit ten, Limit four, Limit fifteen) {
        Limiter changed = Limiter.local(clock, ten);
        Limiter unchanged = Limiter.local(clock, ten);
        for (int i = 0; i < 3; i++) {
            changed.decide("a", 2);
            unchanged.decide("a", 2);
            clock.advance(130_000);
        }
        changed.change(ten);
        changed.change(four);
        changed.change(fifteen);
        changed.change(ten);
        for (int i = 0; i < 20; i++) {
            for (long permits : new long[] {0, 1, 5, 10}) {
                assertThat(changed.peek("a", permits)).isEqualTo(unchanged.peek("a", permits));
            }
            clock.advance(77_777);
        }
    }

    @ParameterizedTest
    @MethodSource("pairs")
    void ofAnotherAlgorithmOnlyWhatIsInUseIsKnown(Limit from, Limit to) {
        Limiter limiter = Limiter.local(clock, from);
        limiter.decide("a", 6);
        clock.advance(1);
        limiter.change(to);
        boolean rateToConcurrency = to.holds() && !from.holds();
        Decision now = limiter.peek("a", 5);
        if (rateToConcurrency) {
            assertThat(now.allowed())
                    .as("nobody could release what a rate limit took")
                    .isTrue();
        } else {
            assertThat(now.allowed()).isFalse();
            assertThat(now.remaining()).isEqualTo(4);
            isTight(limiter, "a", limiter.decide("a", 5));
        }
    }

    @Test
    void aLogKeepsEveryInstant() {
        Limiter log = Limiter.local(clock, Limit.slidingLog(5, ofSeconds(10)));
        for (int i = 0; i < 5; i++) {
            assertThat(log.tryAcquire()).isTrue();
            clock.advance(1_000_000);
        }
        log.change(Limit.slidingLog(5, ofSeconds(3)));
        assertThat(log.peek().remaining() + 1)
                .as("those of 3, 4 and 5 seconds ago have left")
                .isEqualTo(3);
        log.change(Limit.slidingLog(5, ofSeconds(20)));
        assertThat(log.peek().retryAfter()).as("none has left").isEqualTo(ofSeconds(15));
    }

    @Test
    void permitsHeldAreStillReleased() {
        Limiter limiter = Limiter.local(clock, Limit.concurrency(3));
        Hold first = limiter.hold("a", 2);
        Hold second = limiter.hold("a", 1);
        limiter.change(Limit.concurrency(1));
        second.close();
        assertThat(limiter.peek("a").allowed()).isFalse();
        first.close();
        assertThat(limiter.peek("a").allowed()).isTrue();
        assertThat(limiter.peek("a", 2).never()).isTrue();
    }

    @Test
    void limitsAreAddedFreshAndTakenAway() {
        Limiter limiter = Limiter.local(clock, Limit.slidingLog(10, SECOND));
        limiter.decide(7);
        limiter.change(Limit.slidingLog(10, SECOND), Limit.fixedWindow(100, ofSeconds(60)));
        assertThat(limiter.peek("", 0).remaining()).isEqualTo(3);
        limiter.decide(3);
        limiter.change(Limit.slidingLog(200, SECOND), Limit.fixedWindow(100, ofSeconds(60)));
        assertThat(limiter.peek("", 0).remaining()).isEqualTo(97);
        limiter.change(Limit.slidingLog(10, SECOND));
        assertThat(limiter.peek("", 0).remaining()).isZero();
        clock.advance(1_000_000);
        assertThat(limiter.peek("", 0).remaining()).isEqualTo(10);
    }

    @Test
    void aRefundReachesAcrossTheChange() {
        Limiter limiter = Limiter.local(clock, Limit.slidingLog(10, SECOND));
        Decision taken = limiter.decide("a", 6);
        limiter.change(Limit.slidingLog(8, SECOND));
        limiter.refund("a", taken);
        assertThat(limiter.peek("a", 0).remaining()).isEqualTo(8);
    }

    /** Law 3, for a request that only time can help. */
    private void isTight(Limiter limiter, String key, Decision denied) {
        long start = clock.micros();
        if (denied.retryAfterMicros() != Decision.NEVER_MICROS) {
            clock.set(start + denied.retryAfterMicros() - 1);
            assertThat(limiter.peek(key, denied.permits()).allowed())
                    .as("one microsecond early")
                    .isFalse();
            clock.advance(1);
            assertThat(limiter.peek(key, denied.permits()).allowed())
                    .as("in time")
                    .isTrue();
        }
        clock.set(start);
    }

    @Test
    void aWindowThatBecomesLongerEndsLaterAndOneThatBecomesShorterInOnePeriodAtMost() {
        Limiter limiter = Limiter.local(clock, Limit.fixedWindow(1, ofSeconds(10)));
        limiter.decide("k");
        pass(ofSeconds(4));
        limiter.change(Limit.fixedWindow(1, ofSeconds(60)));
        assertThat(limiter.peek("k").retryAfter()).isEqualTo(ofSeconds(56));
        limiter.change(Limit.fixedWindow(1, ofSeconds(1)));
        assertThat(limiter.peek("k").retryAfter()).isEqualTo(ofSeconds(1));
    }

    @Test
    void slicesOfAnotherLengthCountFromTheirLastInstant() {
        Limiter limiter = Limiter.local(clock, Limit.slidingWindow(4, ofSeconds(4), 4));
        limiter.decide("k", 4);
        pass(ofSeconds(2));
        limiter.change(Limit.slidingWindow(4, ofSeconds(4), 8));
        // slice 0 of one second counts from its end; it has left when the slice of half a second it now is in has
        assertThat(limiter.decide("k").retryAfter()).isEqualTo(ofSeconds(3));
    }

    @Test
    void partsGoOnByPosition() {
        Limiter limiter = Limiter.local(clock, Limit.slidingLog(10, ofSeconds(10)));
        limiter.decide("k", 7);
        limiter.change(Limit.slidingLog(10, ofSeconds(10)), Limit.fixedWindow(100, ofSeconds(100)));
        assertThat(limiter.peek("k", 0).remaining()).isEqualTo(3);
        limiter.decide("k", 3);
        limiter.change(Limit.fixedWindow(10, ofSeconds(10)), Limit.fixedWindow(4, ofSeconds(100)));
        Decision decision = limiter.decide("k");
        assertThat(decision.remaining()).isZero();
        pass(ofSeconds(10));
        assertThat(limiter.peek("k", 0).remaining()).isEqualTo(1);
        limiter.change(Limit.slidingLog(3, ofSeconds(10)));
        assertThat(limiter.peek("k", 0).remaining()).isEqualTo(3);
    }

    @Test
    void linesInAnotherOrderKeepTheirCounts() {
        Limit second = Limit.tokenBucket(10, SECOND);
        Limit day = Limit.fixedWindow(100, Duration.ofDays(1));
        Limit hour = Limit.fixedWindow(50, Duration.ofHours(1));
        Limiter limiter = Limiter.local(clock, second, hour, day);
        limiter.decide("k", 10);
        pass(SECOND);
        limiter.change(day, second, hour);
        assertThat(remaining(limiter)).containsExactly(90L, 10L, 40L);
        limiter.change(hour, Limit.fixedWindow(200, Duration.ofDays(1)), second);
        assertThat(remaining(limiter))
                .as("the day's is another, but still the day's")
                .containsExactly(40L, 190L, 10L);
        limiter.change(Limit.fixedWindow(200, Duration.ofDays(1)));
        assertThat(remaining(limiter)).containsExactly(190L);
        limiter.change(second, Limit.slidingLog(300, Duration.ofDays(1)));
        assertThat(remaining(limiter)).as("what is left goes on in order").containsExactly(0L, 300L);
        limiter.change(Limit.concurrency(7), Limit.leakyBucket(10, SECOND));
        assertThat(remaining(limiter))
                .as("a concurrency limit would forget what the bucket counted")
                .containsExactly(7L, 0L);
    }

    private static List<Long> remaining(Limiter limiter) {
        return limiter.peek("k", 0).perLimit().stream().map(Decision::remaining).toList();
    }

    private void pass(Duration time) {
        clock.advance(time.toNanos() / 1000);
    }
}
