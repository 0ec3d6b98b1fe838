package dev.sluice;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What can happen to a request beside yes and no. */
class OutcomesTest {
    private final ManualClock time = new ManualClock();

    @Test
    void aShareIsAPercentage() {
        Limiter limiter = Limiter.local(Limit.concurrency(1));
        for (int percent : new int[] {0, -1, 101}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> limiter.withShare(percent))
                    .withMessageContaining(String.valueOf(percent));
        }
    }

    @Test
    void sheddingRisesFromItsThresholdToTheLimit() {
        int rounds = 400;
        int[] shedAt = new int[100];
        for (int round = 0; round < rounds; round++) {
            Limiter limiter = Limiter.builder(Limit.fixedWindow(100, ofSeconds(10)))
                    .ticker(time)
                    .shedFrom(50, round)
                    .build();
            for (int used = 0; used < 100; ) {
                Decision decision = limiter.decide("k");
                if (decision.allowed()) {
                    used++;
                } else {
                    shedAt[used]++;
                    assertThat(decision.outcome()).isEqualTo(Outcome.SHED);
                    assertThat(decision.remaining()).isEqualTo(100 - used);
                }
            }
            assertThat(limiter.decide("k").outcome()).isEqualTo(Outcome.DENIED);
        }
        for (int used = 0; used <= 50; used++) {
            assertThat(shedAt[used]).isZero();
        }
        // with a chance p of denial, p / (1 - p) denials come before the next is admitted: 1 at 75, 9 at 95
        assertThat(shedAt[75] / (double) rounds).isBetween(0.7, 1.4);
        assertThat(shedAt[95] / (double) rounds).isBetween(7.0, 11.5);
    }

    @Test
    void sheddingIsRepeatableBySeed() {
        assertThat(shedTrace(42)).isEqualTo(shedTrace(42)).isNotEqualTo(shedTrace(43));
    }

    private List<Outcome> shedTrace(long seed) {
        Limiter limiter = Limiter.builder(Limit.fixedWindow(100, ofSeconds(10)))
                .ticker(time)
                .shedFrom(10, seed)
                .build();
        List<Outcome> trace = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            limiter.peek("k");
            trace.add(limiter.decide("k").outcome());
        }
        return trace;
    }

    @Test
    void whoWasShedIsSafeAfterRetryAfter() {
        Limiter limiter = Limiter.builder(Limit.tokenBucket(10, ofSeconds(10)))
                .ticker(time)
                .shedFrom(50, 7)
                .build();
        Decision shed = null;
        for (int i = 0; i < 1000 && shed == null; i++) {
            Decision decision = limiter.decide("k");
            shed = decision.outcome() == Outcome.SHED ? decision : null;
        }
        assertThat(shed).isNotNull();
        time.advance(java.util.Objects.requireNonNull(shed).retryAfter());
        assertThat(limiter.peek("k", 0).remaining()).isEqualTo(5);
        assertThat(limiter.tryAcquire("k")).isTrue();
    }

    @Test
    void sheddingStartsBelowTheLimit() {
        for (int percent : new int[] {-1, 100}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> Limiter.builder(Limit.concurrency(1)).shedFrom(percent))
                    .withMessageContaining(String.valueOf(percent));
        }
    }

    @Test
    void aShadowCountsAndDeniesNothing() {
        List<Outcome> seen = new ArrayList<>();
        Limiter limiter = Limiter.builder(Limit.slidingLog(2, ofSeconds(10)))
                .ticker(time)
                .shadow()
                .listener((key, decision) -> seen.add(decision.outcome()))
                .build();
        for (int i = 0; i < 4; i++) {
            assertThat(limiter.tryAcquire("k")).isTrue();
        }
        assertThat(seen).containsExactly(Outcome.ALLOWED, Outcome.ALLOWED, Outcome.SHADOWED, Outcome.SHADOWED);
        Decision over = limiter.decide("k");
        assertThat(over.allowed()).isTrue();
        assertThat(over.retryAfter()).isEqualTo(ofSeconds(10));
        limiter.refund("k", over);
        assertThat(limiter.peek("k").outcome()).isEqualTo(Outcome.SHADOWED);
    }

    @Test
    void aShadowedQueueDelaysNobody() {
        Limiter limiter = Limiter.builder(
                        Limit.leakyBucket(1, ofSeconds(1)).capacity(3).queue())
                .ticker(time)
                .shadow()
                .build();
        limiter.decide("k");
        assertThat(limiter.peek("k").delay()).isZero();
        assertThat(limiter.decide("k").delay()).isZero();
        assertThat(limiter.acquireAsync("k", 1, ofSeconds(5))).isCompleted();
        assertThat(limiter.decide("k").outcome()).isEqualTo(Outcome.SHADOWED);
    }

    @Test
    void aListenerThatFailsHarmsNobody() {
        Limiter limiter = Limiter.builder(Limit.fixedWindow(1, ofSeconds(10)))
                .ticker(time)
                .listener((key, decision) -> {
                    throw new IllegalStateException("listener down, as this test wants it");
                })
                .build();
        assertThat(limiter.tryAcquire("k")).isTrue();
        assertThat(limiter.tryAcquire("k")).isFalse();
    }
}
