package dev.sluice.edges;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.contract.FakeClock;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A caller that gives back too often must not free what others took before it. */
class RefundEdgesTest {
    static Stream<Limit> limits() {
        Duration ten = Duration.ofSeconds(10);
        return Stream.of(
                Limit.slidingLog(5, ten),
                Limit.slidingWindow(5, ten, 10),
                Limit.slidingWindow(5, ten, 10).weighted());
    }

    @ParameterizedTest
    @MethodSource("limits")
    void aSecondRefundFindsNothingLeft(Limit limit) {
        FakeClock clock = new FakeClock(0);
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
}
