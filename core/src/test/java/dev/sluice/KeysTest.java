package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.FakeClock;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Memory is bounded: idle keys go, and there is a most of keys past which nobody's count is lost. */
class KeysTest {
    private static final Duration MILLI = Duration.ofMillis(1);
    private static final Duration HOUR = Duration.ofHours(1);

    private final FakeClock clock = new FakeClock(0);

    private Engine engine(int maxKeys, Limit... limits) {
        return new Engine(List.of(limits), clock, Timer.system(), maxKeys, null);
    }

    private static Limiter limiter(Engine engine) {
        return new LocalLimiter(engine, 100, false, null);
    }

    @Test
    void idleKeysGoWhileTrafficGoesOn() {
        Engine engine = engine(10_000_000, Limit.tokenBucket(5, MILLI));
        Limiter limiter = limiter(engine);
        int most = 0;
        for (int i = 0; i < 300_000; i++) {
            limiter.tryAcquire("once:" + i);
            clock.advance(100);
            if (i % 1000 == 0) {
                most = Math.max(most, engine.keyCount());
            }
        }
        assertThat(most).as("those of the last second or so").isLessThan(30_000);
        clock.advance(10_000_000);
        for (int i = 0; i < 10_000; i++) {
            limiter.tryAcquire("steady");
            clock.advance(1000);
        }
        assertThat(engine.keyCount()).isEqualTo(1);
    }

    @Test
    void keysInUseStay() {
        Engine engine = engine(10_000_000, Limit.slidingLog(5, HOUR), Limit.concurrency(5));
        Limiter limiter = limiter(engine);
        Decision held = limiter.decide("held", 5);
        limiter.release("used", limiter.decide("used", 3));
        for (int i = 0; i < 50_000; i++) {
            limiter.release("once:" + i, limiter.decide("once:" + i, 1));
            clock.advance(71_000);
        }
        assertThat(limiter.peek("used", 0).remaining())
                .as("50 seconds to the hour")
                .isEqualTo(2);
        assertThat(limiter.peek("held").allowed()).as("nobody has released it").isFalse();
        limiter.release("held", held);
        assertThat(limiter.peek("held", 5).allowed()).isTrue();
    }

    @Test
    void pastTheMostKeysNobodysCountIsLost() {
        Limiter limiter = limiter(engine(100, Limit.slidingLog(2, HOUR)));
        for (int i = 0; i < 100; i++) {
            assertThat(limiter.decide("known:" + i, 2).allowed()).isTrue();
        }
        int admitted = 0;
        for (int i = 0; i < 10_000; i++) {
            admitted += limiter.tryAcquire("flood:" + i) ? 1 : 0;
        }
        assertThat(admitted).as("all of the flood share one count").isEqualTo(2);
        for (int i = 0; i < 100; i++) {
            assertThat(limiter.tryAcquire("known:" + i)).isFalse();
        }
    }

    @Test
    void whenThereIsRoomAgainNobodyIsForgiven() {
        Limiter limiter = limiter(engine(1, Limit.slidingLog(2, HOUR)));
        limiter.decide("known", 1);
        clock.advance(60_000_000);
        assertThat(limiter.decide("shared", 2).allowed()).isTrue();
        clock.advance(HOUR.toNanos() / 1000 - 50_000_000);
        for (int i = 0; i < 10; i++) {
            assertThat(limiter.tryAcquire("shared")).as("50 seconds early").isFalse();
            clock.advance(1_000_000);
        }
        clock.advance(50_000_000);
        assertThat(limiter.tryAcquire("shared")).isTrue();
    }

    @Test
    void whatWasHeldInTheSharedCountIsReleasedThere() {
        Limiter limiter = limiter(engine(1, Limit.concurrency(1)));
        Decision known = limiter.decide("known");
        Decision shared = limiter.decide("shared");
        assertThat(shared.allowed()).isTrue();
        limiter.release("known", known);
        for (int i = 0; i < 10; i++) {
            clock.advance(1_000_000);
            limiter.peek("known");
        }
        limiter.release("shared", shared);
        List<Decision> both = List.of(limiter.decide("known"), limiter.decide("other"));
        assertThat(both).as("everything was released").allMatch(Decision::allowed);
    }

    @Test
    void aClockThatStepsFarBackForgivesNobody() {
        Limiter limiter = limiter(engine(1000, Limit.slidingLog(2, HOUR)));
        clock.set(100 * HOUR.toNanos() / 1000);
        assertThat(limiter.decide("a", 2).allowed()).isTrue();
        clock.set(0);
        for (int i = 0; i < 1000; i++) {
            limiter.tryAcquire("other:" + i);
            clock.advance(1000);
        }
        assertThat(limiter.tryAcquire("a")).isFalse();
        clock.set(101 * HOUR.toNanos() / 1000 - 1);
        assertThat(limiter.tryAcquire("a")).isFalse();
        clock.advance(1);
        assertThat(limiter.tryAcquire("a")).isTrue();
    }
}
