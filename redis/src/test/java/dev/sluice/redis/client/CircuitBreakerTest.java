package dev.sluice.redis.client;

import static dev.sluice.redis.client.CircuitBreaker.CALM_NANOS;
import static dev.sluice.redis.client.CircuitBreaker.MAX_PAUSE_NANOS;
import static dev.sluice.redis.client.CircuitBreaker.MIN_PAUSE_NANOS;
import static dev.sluice.redis.client.CircuitBreaker.Phase.CLOSED;
import static dev.sluice.redis.client.CircuitBreaker.Phase.HALF_OPEN;
import static dev.sluice.redis.client.CircuitBreaker.Phase.OPEN;
import static dev.sluice.redis.client.CircuitBreaker.Phase.PROBING;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Objects;
import org.junit.jupiter.api.Test;

class CircuitBreakerTest {
    private long now = 1_000;
    private final CircuitBreaker breaker = new CircuitBreaker(now);

    @Test
    void threeFailuresInARowOpenIt() {
        fail(2);
        assertThat(breaker.succeeded(admitted(), now)).isFalse();
        fail(2);
        assertThat(breaker.phase()).isEqualTo(CLOSED);
        assertThat(breaker.failed(admitted(), Failure.Breaker.COUNTS, 1, now)).isTrue();
        assertThat(breaker.phase()).isEqualTo(OPEN);
        assertThat(breaker.admit()).isNull();
        assertThat(breaker.isRefusing()).isTrue();
    }

    /** One call for three requests is as much of a sign as three calls for one. */
    @Test
    void requestsCountAndNotCalls() {
        assertThat(breaker.failed(admitted(), Failure.Breaker.COUNTS, 2, now)).isFalse();
        assertThat(breaker.phase()).isEqualTo(CLOSED);
        assertThat(breaker.succeeded(admitted(), now)).isFalse();
        assertThat(breaker.failed(admitted(), Failure.Breaker.COUNTS, 3, now)).isTrue();
        assertThat(breaker.phase()).isEqualTo(OPEN);
    }

    @Test
    void someFailuresOpenItAtOnce() {
        assertThat(breaker.failed(admitted(), Failure.Breaker.OPENS, 1, now)).isTrue();
        assertThat(breaker.phase()).isEqualTo(OPEN);
    }

    @Test
    void oneCallIsTheProbeAndClosesIt() {
        fail(3);
        breaker.halfOpen();
        assertThat(breaker.phase()).isEqualTo(HALF_OPEN);
        assertThat(breaker.isRefusing()).isFalse();
        CircuitBreaker.State probe = admitted();
        assertThat(breaker.phase()).isEqualTo(PROBING);
        assertThat(breaker.admit()).as("a second call").isNull();
        assertThat(breaker.succeeded(probe, now)).isTrue();
        assertThat(breaker.phase()).isEqualTo(CLOSED);
    }

    @Test
    void aProbeThatFailsOpensItAgainAfterOneFailure() {
        fail(3);
        breaker.halfOpen();
        assertThat(breaker.failed(admitted(), Failure.Breaker.COUNTS, 1, now))
                .as("counted as opened")
                .isFalse();
        assertThat(breaker.phase()).isEqualTo(OPEN);
    }

    /** A call that began before it opened knows nothing of later. */
    @Test
    void theOutcomeOfAnOlderCallChangesNothing() {
        CircuitBreaker.State before = admitted();
        fail(3);
        assertThat(breaker.succeeded(before, now)).isFalse();
        assertThat(breaker.phase()).isEqualTo(OPEN);
        breaker.halfOpen();
        CircuitBreaker.State probe = admitted();
        breaker.failed(before, Failure.Breaker.OPENS, 1, now);
        assertThat(breaker.phase()).isEqualTo(PROBING);
        breaker.succeeded(probe, now);
        for (int i = 0; i < 10; i++) {
            breaker.failed(before, Failure.Breaker.OPENS, 1, now);
        }
        assertThat(breaker.phase()).isEqualTo(CLOSED);
    }

    @Test
    void thePauseDoublesWhileProbesFailUpToABound() {
        fail(3);
        long pause = MIN_PAUSE_NANOS;
        for (int i = 0; i < 20; i++) {
            assertThat(breaker.isDue(now + pause - 1)).isFalse();
            assertThat(breaker.isDue(now + pause)).isTrue();
            now += pause;
            breaker.halfOpen();
            breaker.failed(admitted(), Failure.Breaker.COUNTS, 1, now);
            pause = Math.min(2 * pause, MAX_PAUSE_NANOS);
        }
    }

    @Test
    void thePauseIsLongerIfItOpensSoonAfterItClosed() {
        fail(3);
        close();
        now += CALM_NANOS - 1;
        fail(3);
        assertThat(breaker.isDue(now + MIN_PAUSE_NANOS)).isFalse();
        assertThat(breaker.isDue(now + 2 * MIN_PAUSE_NANOS)).isTrue();
        close();
        now += CALM_NANOS;
        fail(3);
        assertThat(breaker.isDue(now + MIN_PAUSE_NANOS)).isTrue();
    }

    @Test
    void halfOpenIsForAnOpenOneOnly() {
        breaker.halfOpen();
        assertThat(breaker.phase()).isEqualTo(CLOSED);
    }

    private void close() {
        breaker.halfOpen();
        breaker.succeeded(admitted(), now);
    }

    private void fail(int times) {
        for (int i = 0; i < times; i++) {
            breaker.failed(admitted(), Failure.Breaker.COUNTS, 1, now);
        }
    }

    private CircuitBreaker.State admitted() {
        return Objects.requireNonNull(breaker.admit());
    }
}
