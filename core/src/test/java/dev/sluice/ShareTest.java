package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.FakeClock;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Requests of a lower class, which may use only a share of the limit. */
class ShareTest {
    private final FakeClock clock = new FakeClock(0);

    @ParameterizedTest
    @MethodSource("dev.sluice.contract.Kinds#tens")
    void theRestIsKeptForOthers(Limit ten) {
        Limiter core = Limiter.local(clock, ten);
        Limiter background = core.withShare(50);
        assertThat(background.decide("a", 4).remaining()).isEqualTo(1);
        assertThat(background.decide("a", 2).outcome()).isEqualTo(Outcome.DENIED);
        assertThat(background.decide("a", 1).remaining()).isZero();
        assertThat(background.decide("a", 1).allowed()).isFalse();
        assertThat(core.decide("a", 5).remaining()).isZero();
        assertThat(core.decide("a", 1).allowed()).isFalse();
    }

    @ParameterizedTest
    @MethodSource("dev.sluice.contract.Kinds#tens")
    void whatOthersUsedCountsToo(Limit ten) {
        Limiter core = Limiter.local(clock, ten);
        Limiter normal = core.withShare(80);
        core.decide("a", 7);
        assertThat(normal.peek("a", 0).remaining()).isEqualTo(1);
        assertThat(normal.decide("a", 2).allowed()).isFalse();
        core.decide("a", 2);
        Decision denied = normal.decide("a", 1);
        assertThat(denied.remaining()).isZero();
        if (denied.retryAfterMicros() != Decision.NEVER_MICROS) {
            clock.advance(denied.retryAfterMicros() - 1);
            assertThat(normal.peek("a").allowed()).isFalse();
            clock.advance(1);
            assertThat(normal.peek("a").allowed()).isTrue();
        }
    }

    @ParameterizedTest
    @MethodSource("dev.sluice.contract.Kinds#tens")
    void moreThanTheShareIsNever(Limit ten) {
        Limiter background = Limiter.local(clock, ten).withShare(50);
        assertThat(background.decide("a", 6).outcome()).isEqualTo(Outcome.NEVER);
        assertThat(background.decide("a", 5).outcome()).isEqualTo(Outcome.ALLOWED);
    }

    @Test
    void aShareOfEveryLimit() {
        Limiter core = Limiter.local(
                clock, Limit.tokenBucket(10, Duration.ofSeconds(1)), Limit.fixedWindow(30, Duration.ofMinutes(1)));
        Limiter background = core.withShare(50);
        for (int second = 0; second < 3; second++) {
            assertThat(background.decide(5).allowed()).isTrue();
            assertThat(background.decide(1).allowed()).isFalse();
            clock.advance(1_000_000);
        }
        Decision denied = background.decide(1);
        assertThat(denied.limit()).as("the window of a minute denies now").isEqualTo(30);
        assertThat(denied.retryAfter()).isEqualTo(Duration.ofSeconds(57));
        assertThat(core.decide(10).allowed()).isTrue();
    }

    @Test
    void ofALimitOfOneHalfIsNothing() {
        Limiter half =
                Limiter.local(clock, Limit.slidingLog(1, Duration.ofSeconds(1))).withShare(50);
        assertThat(half.decide(1).outcome()).isEqualTo(Outcome.NEVER);
        assertThat(half.decide(0).remaining()).isZero();
    }
}
