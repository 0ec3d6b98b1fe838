package dev.sluice;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Changing a limit while it runs: lowering forgives nothing, raising locks nobody out. */
class ChangeTest {
    private final FakeTime time = new FakeTime();

    static Stream<List<Limit>> tenTwentyFive() {
        return Stream.of(
                List.of(
                        Limit.fixedWindow(10, ofSeconds(10)),
                        Limit.fixedWindow(20, ofSeconds(10)),
                        Limit.fixedWindow(5, ofSeconds(10))),
                List.of(
                        Limit.fixedWindow(10, ofSeconds(10)).aligned(),
                        Limit.fixedWindow(20, ofSeconds(10)).aligned(),
                        Limit.fixedWindow(5, ofSeconds(10)).aligned()),
                List.of(
                        Limit.slidingWindow(10, ofSeconds(10), 5),
                        Limit.slidingWindow(20, ofSeconds(10), 5),
                        Limit.slidingWindow(5, ofSeconds(10), 10)),
                List.of(
                        Limit.slidingWindow(10, ofSeconds(10), 5).weighted(),
                        Limit.slidingWindow(20, ofSeconds(10), 5).weighted(),
                        Limit.slidingWindow(5, ofSeconds(10), 5)),
                List.of(
                        Limit.slidingLog(10, ofSeconds(10)),
                        Limit.slidingLog(20, ofSeconds(10)),
                        Limit.slidingLog(5, ofSeconds(10))),
                List.of(
                        Limit.tokenBucket(10, ofSeconds(10)),
                        Limit.tokenBucket(20, ofSeconds(10)),
                        Limit.tokenBucket(7, ofSeconds(10)).burst(5)),
                List.of(
                        Limit.leakyBucket(10, ofSeconds(10)),
                        Limit.tokenBucket(20, ofSeconds(10)),
                        Limit.leakyBucket(3, ofSeconds(10)).capacity(5).queue()),
                List.of(Limit.concurrency(10), Limit.concurrency(20), Limit.concurrency(5)),
                List.of(
                        Limit.fixedWindow(10, ofSeconds(10)),
                        Limit.slidingLog(20, ofSeconds(10)),
                        Limit.tokenBucket(5, ofSeconds(10))),
                List.of(
                        Limit.slidingLog(10, ofSeconds(10)),
                        Limit.tokenBucket(20, ofSeconds(10)),
                        Limit.slidingWindow(5, ofSeconds(10), 2)));
    }

    @ParameterizedTest
    @MethodSource("tenTwentyFive")
    void whatWasUsedStaysUsed(List<Limit> limits) {
        Limiter limiter = Limiter.local(time, limits.get(0));
        limiter.decide("k", 8);
        limiter.decide("full", 10);
        limiter.decide("", 8);

        limiter.change(limits.get(1));
        assertThat(limiter.limits()).containsExactly(limits.get(1));
        assertThat(limiter.peek("k", 0).remaining()).isEqualTo(12);
        assertThat(limiter.peek("full", 0).remaining()).isEqualTo(10);
        assertThat(limiter.peek("", 0).remaining()).isEqualTo(12);
        assertThat(limiter.peek("unseen", 0).remaining()).isEqualTo(20);

        limiter.change(limits.get(2));
        Decision over = limiter.decide("k");
        assertThat(over.allowed()).isFalse();
        assertThat(over.remaining()).isZero();
        assertThat(limiter.peek("unseen", 0).remaining()).isEqualTo(5);
        if (!(limits.get(2) instanceof Limit.Concurrency)) {
            time.pass(over.retryAfter().minusNanos(1000));
            assertThat(limiter.peek("k").allowed()).isFalse();
            time.pass(ofMillis(1));
            assertThat(limiter.peek("k").allowed()).isTrue();
        }
    }

    @Test
    void aWindowThatBecomesLongerEndsLaterAndOneThatBecomesShorterInOnePeriodAtMost() {
        Limiter limiter = Limiter.local(time, Limit.fixedWindow(1, ofSeconds(10)));
        limiter.decide("k");
        time.pass(ofSeconds(4));
        limiter.change(Limit.fixedWindow(1, ofSeconds(60)));
        assertThat(limiter.peek("k").retryAfter()).isEqualTo(ofSeconds(56));
        limiter.change(Limit.fixedWindow(1, ofSeconds(1)));
        assertThat(limiter.peek("k").retryAfter()).isEqualTo(ofSeconds(1));
    }

    @Test
    void aLogKeepsItsInstantsUnderAnotherPeriod() {
        Limiter limiter = Limiter.local(time, Limit.slidingLog(3, ofSeconds(10)));
        limiter.decide("k");
        time.pass(ofSeconds(2));
        limiter.decide("k", 2);
        limiter.change(Limit.slidingLog(2, ofSeconds(5)));
        assertThat(limiter.decide("k").retryAfter()).isEqualTo(ofSeconds(5));
        assertThat(limiter.peek("k", 2).retryAfter()).isEqualTo(ofSeconds(5));
    }

    @Test
    void slicesOfAnotherLengthCountFromTheirLastInstant() {
        Limiter limiter = Limiter.local(time, Limit.slidingWindow(4, ofSeconds(4), 4));
        limiter.decide("k", 4);
        time.pass(ofSeconds(2));
        limiter.change(Limit.slidingWindow(4, ofSeconds(4), 8));
        // slice 0 of one second counts from its end; it has left when the slice of half a second it now is in has
        assertThat(limiter.decide("k").retryAfter()).isEqualTo(ofSeconds(3));
    }

    @Test
    void partsGoOnByPosition() {
        Limiter limiter = Limiter.local(time, Limit.slidingLog(10, ofSeconds(10)));
        limiter.decide("k", 7);
        limiter.change(Limit.slidingLog(10, ofSeconds(10)), Limit.fixedWindow(100, ofSeconds(100)));
        assertThat(limiter.peek("k", 0).remaining()).isEqualTo(3);
        limiter.decide("k", 3);
        limiter.change(Limit.fixedWindow(10, ofSeconds(10)), Limit.fixedWindow(4, ofSeconds(100)));
        Decision decision = limiter.decide("k");
        assertThat(decision.remaining()).isZero();
        time.pass(ofSeconds(10));
        assertThat(limiter.peek("k", 0).remaining()).isEqualTo(1);
        limiter.change(Limit.slidingLog(3, ofSeconds(10)));
        assertThat(limiter.peek("k", 0).remaining()).isEqualTo(3);
    }

    @Test
    void heldPermitsStayHeldAndCanBeReleased() {
        Limiter limiter = Limiter.local(time, Limit.concurrency(2));
        Hold hold = limiter.hold("k");
        limiter.change(Limit.concurrency(1));
        assertThat(limiter.hold("k").allowed()).isFalse();
        hold.close();
        assertThat(limiter.hold("k").allowed()).isTrue();
        limiter.change(Limit.fixedWindow(5, ofSeconds(10)));
        assertThat(limiter.peek("k", 0).remaining()).isEqualTo(4);
    }
}
