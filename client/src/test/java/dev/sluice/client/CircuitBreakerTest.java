package dev.sluice.client;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CircuitBreakerTest {
    private static final long MS = 1_000_000;

    private final CircuitBreaker breaker = new CircuitBreaker();

    private long admission() {
        return breaker.admit().orElseThrow();
    }

    private void open() {
        for (int i = 0; i < CircuitBreaker.FAILURES_TO_OPEN; i++) {
            breaker.failed(admission(), 0);
        }
        assertThat(breaker.admit()).isEmpty();
    }

    @Test
    void threeFailuresInARowOpenIt() {
        assertThat(breaker.failed(admission(), 0)).isFalse();
        assertThat(breaker.failed(admission(), 0)).isFalse();
        breaker.succeeded(admission());
        assertThat(breaker.failed(admission(), 0)).isFalse();
        assertThat(breaker.failed(admission(), 0)).isFalse();
        assertThat(breaker.failed(admission(), 0)).isTrue();
        assertThat(breaker.admit()).isEmpty();
    }

    @Test
    void afterAPauseOnePingAndThenOneCallDecide() {
        open();
        assertThat(breaker.beginPing(99 * MS)).isFalse();
        assertThat(breaker.beginPing(100 * MS)).isTrue();
        assertThat(breaker.beginPing(100 * MS)).isFalse();
        assertThat(breaker.admit()).isEmpty();
        breaker.pinged(true, 101 * MS);
        long probe = admission();
        assertThat(breaker.admit()).isEmpty();
        assertThat(breaker.succeeded(probe)).isTrue();
        assertThat(breaker.admit()).isPresent();
    }

    @Test
    void pausesGrowToABound() {
        open();
        long now = 0;
        for (long pause : new long[] {100, 200, 400, 400}) {
            assertThat(breaker.beginPing(now + pause * MS - 1)).isFalse();
            now += pause * MS;
            assertThat(breaker.beginPing(now)).isTrue();
            breaker.pinged(false, now);
        }
    }

    @Test
    void aProbeThatFailsOpensItAgain() {
        open();
        breaker.beginPing(100 * MS);
        breaker.pinged(true, 100 * MS);
        assertThat(breaker.failed(admission(), 101 * MS)).isFalse();
        assertThat(breaker.admit()).isEmpty();
        assertThat(breaker.beginPing(300 * MS)).isFalse();
        assertThat(breaker.beginPing(301 * MS)).isTrue();
    }

    @Test
    void aProbeThatItsOwnerGivesUpIsLeftToTheNext() {
        open();
        breaker.beginPing(100 * MS);
        breaker.pinged(true, 100 * MS);
        breaker.abandoned(admission());
        assertThat(breaker.admit()).isPresent();
    }

    @Test
    void whatBeganBeforeItOpenedChangesNothing() {
        long before = admission();
        open();
        assertThat(breaker.hasOpenedSince(before)).isTrue();
        assertThat(breaker.succeeded(before)).isFalse();
        breaker.failed(before, 0);
        breaker.abandoned(before);
        assertThat(breaker.admit()).isEmpty();
        breaker.beginPing(100 * MS);
        breaker.pinged(true, 100 * MS);
        long probe = admission();
        breaker.failed(before, 100 * MS);
        assertThat(breaker.succeeded(probe)).isTrue();
    }
}
