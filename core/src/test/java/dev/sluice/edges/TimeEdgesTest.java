package dev.sluice.edges;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.contract.Kinds;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The first and the last nanosecond that a ticker can show. */
class TimeEdgesTest {
    private static final long PERIOD_MICROS = 1_000_000;

    private final AtomicLong nanos = new AtomicLong();

    static Stream<Limit> rates() {
        return Kinds.rates(10, Duration.ofSeconds(1));
    }

    static Stream<Limit> giants() {
        return Kinds.giants();
    }

    @ParameterizedTest
    @MethodSource("rates")
    void atTheEndOfTime(Limit limit) {
        worksAt(limit, Long.MAX_VALUE - 2 * 86_400_000_000_000L);
        nanos.set(Long.MAX_VALUE);
        worksOnceAt(limit);
    }

    @ParameterizedTest
    @MethodSource("rates")
    void atTheBeginningOfTime(Limit limit) {
        worksAt(limit, Long.MIN_VALUE);
    }

    @ParameterizedTest
    @MethodSource("rates")
    void aroundZero(Limit limit) {
        worksAt(limit, -1);
        worksAt(limit, 0);
        worksAt(limit, -999_999_999);
    }

    /** Takes everything, and has it back exactly when it said. */
    private void worksAt(Limit limit, long startNanos) {
        nanos.set(startNanos);
        Limiter limiter = worksOnceAt(limit);
        long wait = limiter.decide(10).retryAfterMicros();
        nanos.set((Math.floorDiv(startNanos, 1000L) + wait) * 1000 - 1);
        assertThat(limiter.decide(10).allowed()).as("1 ns early").isFalse();
        nanos.incrementAndGet();
        assertThat(limiter.decide(10).allowed()).as("in time").isTrue();
    }

    private Limiter worksOnceAt(Limit limit) {
        Limiter limiter = Limiter.local(nanos::get, limit);
        assertThat(limiter.decide(4).remaining()).isEqualTo(6);
        assertThat(limiter.decide(6).remaining()).isZero();
        Decision denied = limiter.decide(1);
        assertThat(denied.allowed()).isFalse();
        assertThat(denied.retryAfterMicros()).isPositive().isLessThanOrEqualTo(86_400_000_000L);
        assertThat(denied.resetAfterMicros()).isPositive().isLessThanOrEqualTo(86_400_000_000L);
        return limiter;
    }

    @ParameterizedTest
    @MethodSource("giants")
    void fromTheBeginningOfTimeToItsEnd(Limit limit) {
        nanos.set(Long.MIN_VALUE);
        Limiter limiter = Limiter.local(nanos::get, limit);
        long most = limit.capacity();
        assertThat(limiter.decide(most).allowed()).isTrue();
        nanos.set(Long.MAX_VALUE);
        if (limit.holds()) {
            assertThat(limiter.decide(1).allowed()).isFalse();
        } else {
            assertThat(limiter.peek("", 0).resetAfter()).isZero();
            assertThat(limiter.decide(most).allowed()).isTrue();
        }
    }

    @ParameterizedTest
    @MethodSource("rates")
    void fromTheEndOfTimeToItsBeginning(Limit limit) {
        nanos.set(Long.MAX_VALUE);
        Limiter limiter = Limiter.local(nanos::get, limit);
        assertThat(limiter.decide(10).allowed()).isTrue();
        nanos.set(Long.MIN_VALUE);
        Decision denied = limiter.decide(10);
        assertThat(denied.allowed()).as("a clock that steps back frees nothing").isFalse();
        long step = Math.floorDiv(Long.MAX_VALUE, 1000L) - Math.floorDiv(Long.MIN_VALUE, 1000L);
        assertThat(denied.retryAfterMicros()).isBetween(step, step + Math.max(2 * PERIOD_MICROS, 86_400_000_000L));
    }
}
