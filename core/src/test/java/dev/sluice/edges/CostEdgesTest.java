package dev.sluice.edges;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.Outcome;
import dev.sluice.contract.FakeClock;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class CostEdgesTest {
    private final FakeClock clock = new FakeClock(1_700_000_000_000_000L);

    @ParameterizedTest
    @MethodSource("dev.sluice.contract.Kinds#tens")
    void moreThanTheLimitIsNever(Limit limit) {
        Limiter limiter = Limiter.local(clock, limit);
        limiter.decide(3);
        for (long cost : new long[] {11, 1L << 31, 1L << 53, Long.MAX_VALUE - 1, Long.MAX_VALUE}) {
            Decision decision = limiter.decide(cost);
            assertThat(decision.outcome()).isEqualTo(Outcome.NEVER);
            assertThat(decision.never()).isTrue();
            assertThat(decision.retryAfter()).isEqualTo(Decision.NEVER);
            assertThat(decision.permits()).isEqualTo(cost);
            assertThat(decision.limit()).isEqualTo(10);
            assertThat(decision.remaining()).isEqualTo(7);
        }
        assertThat(limiter.decide(7).allowed()).isTrue();
    }

    @ParameterizedTest
    @MethodSource("dev.sluice.contract.Kinds#tens")
    void noPermitsAreAlwaysAllowedAndTakeNothing(Limit limit) {
        Limiter limiter = Limiter.local(clock, limit);
        assertThat(limiter.decide(0)).satisfies(d -> {
            assertThat(d.allowed()).isTrue();
            assertThat(d.remaining()).isEqualTo(10);
            assertThat(d.resetAfter()).isZero();
        });
        limiter.decide(10);
        assertThat(limiter.decide(0).allowed()).isTrue();
        assertThat(limiter.decide(0).remaining()).isZero();
    }

    @ParameterizedTest
    @MethodSource("dev.sluice.contract.Kinds#tens")
    void negativePermitsAreRefused(Limit limit) {
        Limiter limiter = Limiter.local(clock, limit);
        for (long cost : new long[] {-1, -10, Long.MIN_VALUE}) {
            String told = Long.toString(cost);
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> limiter.decide("a", cost))
                    .withMessageContaining(told);
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> limiter.peek("a", cost))
                    .withMessageContaining(told);
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> limiter.hold("a", cost))
                    .withMessageContaining(told);
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> limiter.acquire("a", cost, Duration.ZERO))
                    .withMessageContaining(told);
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> limiter.acquireAsync("a", cost, Duration.ZERO))
                    .withMessageContaining(told);
            if (!limit.holds()) {
                assertThatIllegalArgumentException()
                        .isThrownBy(() -> limiter.tryAcquire("a", cost))
                        .withMessageContaining(told);
            }
        }
        assertThat(limiter.peek("a", 0).remaining()).isEqualTo(10);
    }

    @ParameterizedTest
    @MethodSource("dev.sluice.contract.Kinds#giants")
    void theLargestLimitsCountExactly(Limit limit) {
        Limiter limiter = Limiter.local(clock, limit);
        long most = limit.capacity();
        assertThat(limiter.decide(most + 1).outcome()).isEqualTo(Outcome.NEVER);
        assertThat(limiter.decide(most - 1).remaining()).isEqualTo(1);
        assertThat(limiter.decide(2).outcome()).isEqualTo(most == 1 ? Outcome.NEVER : Outcome.DENIED);
        assertThat(limiter.decide(1).remaining()).isZero();
        assertThat(limiter.decide(1).outcome()).isEqualTo(Outcome.DENIED);
        assertThat(limiter.decide(most).outcome()).isEqualTo(Outcome.DENIED);
    }
}
