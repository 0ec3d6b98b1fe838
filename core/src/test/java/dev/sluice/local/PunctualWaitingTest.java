package dev.sluice.local;

import static java.time.Duration.ofDays;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.ManualClock;
import dev.sluice.contract.Kinds;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** On every algorithm a turn comes to the microsecond, and what cannot come in time is refused at once. */
class PunctualWaitingTest {
    private static final Duration MICRO = Duration.ofNanos(1000);

    private final ManualClock time = new ManualClock();

    private Limiter limiter(Limit... limits) {
        return new LocalLimiterBuilder(limits).ticker(time).scheduler(time).build();
    }

    static Stream<Limit> rates() {
        return Kinds.rates(10, ofSeconds(1)).filter(limit -> !limit.delays());
    }

    @ParameterizedTest
    @MethodSource("rates")
    void servedTheMomentThePermitsAreThere(Limit limit) {
        Limiter limiter = limiter(limit);
        time.advance(ofMillis(123));
        limiter.decide("a", 10);
        Duration wait = limiter.peek("a", 7).retryAfter();
        CompletableFuture<Decision> turn = limiter.acquireAsync("a", 7, ofDays(2));
        time.advance(wait.minus(MICRO));
        assertThat(turn).isNotDone();
        time.advance(MICRO);
        assertThat(turn).isCompletedWithValueMatching(Decision::allowed);
        assertThat(limiter.peek("a", 0).remaining()).isEqualTo(turn.join().remaining());
        assertThat(time.pending()).as("alarms left").isZero();
    }

    @ParameterizedTest
    @MethodSource("rates")
    void refusedAtOnceOneMicrosecondShort(Limit limit) {
        Limiter limiter = limiter(limit);
        limiter.decide("a", 10);
        Duration wait = limiter.peek("a", 7).retryAfter();
        CompletableFuture<Decision> hopeless = limiter.acquireAsync("a", 7, wait.minus(MICRO));
        assertThat(hopeless).isCompletedWithValueMatching(decision -> !decision.allowed());
        assertThat(hopeless.join().retryAfter()).isEqualTo(wait);
        CompletableFuture<Decision> justInTime = limiter.acquireAsync("a", 7, wait);
        assertThat(justInTime).isNotDone();
        time.advance(wait);
        assertThat(justInTime).isCompletedWithValueMatching(Decision::allowed);
    }

    /** Whoever is told retryAfter while others wait is told when those have been served. */
    @ParameterizedTest
    @MethodSource("rates")
    void retryAfterIsTightBehindALine(Limit limit) {
        Limiter limiter = limiter(limit);
        limiter.decide("a", 10);
        CompletableFuture<Decision> first = limiter.acquireAsync("a", 4, ofDays(9));
        CompletableFuture<Decision> second = limiter.acquireAsync("a", 10, ofDays(9));
        Duration wait = limiter.decide("a", 3).retryAfter();
        time.advance(wait.minus(MICRO));
        assertThat(limiter.peek("a", 3).allowed()).isFalse();
        time.advance(MICRO);
        assertThat(limiter.decide("a", 3).allowed()).isTrue();
        assertThat(first).isCompletedWithValueMatching(Decision::allowed);
        assertThat(second).isCompletedWithValueMatching(Decision::allowed);
    }

    @Test
    void forEverIsNotTooLong() {
        Limiter limiter = limiter(Limit.tokenBucket(1, ofSeconds(1)));
        limiter.decide("a");
        CompletableFuture<Decision> patient = limiter.acquireAsync("a", 1, ChronoUnit.FOREVER.getDuration());
        time.advance(ofSeconds(1));
        assertThat(patient).isCompletedWithValueMatching(Decision::allowed);
    }

    @Test
    void aQueueIsNotJoinedInVain() {
        Limiter queue = limiter(Limit.leakyBucket(1, ofSeconds(1)).capacity(5).queue());
        queue.decide("a", 2);
        assertThat(queue.acquireAsync("a", 1, ofSeconds(2).minus(MICRO)))
                .isCompletedWithValueMatching(decision -> !decision.allowed());
        assertThat(queue.peek("a", 0).remaining()).isEqualTo(3);
        CompletableFuture<Decision> left = queue.acquireAsync("a", 1, ofSeconds(2));
        assertThat(queue.peek("a", 0).remaining()).isEqualTo(2);
        left.cancel(false);
        assertThat(queue.peek("a", 0).remaining()).isEqualTo(3);
    }
}
