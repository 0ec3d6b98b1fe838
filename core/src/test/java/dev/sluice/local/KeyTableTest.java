package dev.sluice.local;

import static java.time.Duration.ofDays;
import static java.time.Duration.ofHours;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.ManualClock;
import dev.sluice.spi.HashedKey;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Memory is bounded by the keys in use, and by the most keys, and by nothing a caller sends. */
class KeyTableTest {
    private final ManualClock time = new ManualClock();

    /** A limiter with memory for {@code maxKeys} keys of {@code sample}'s length. */
    private LimiterCore core(int maxKeys, String sample, Limit... limits) {
        return MemoryBoundTest.core(time, MemoryBoundTest.bytesFor(maxKeys, sample, limits), limits);
    }

    private LimiterCore core(Limit... limits) {
        return MemoryBoundTest.core(time, 1L << 40, limits);
    }

    private static Limiter limiter(LimiterCore core) {
        return new LocalLimiter(core, 100, false, null, null);
    }

    @Test
    void idleKeysVanishWhileTrafficGoesOn() {
        LimiterCore core = core(Limit.tokenBucket(10, ofSeconds(1)));
        Limiter limiter = limiter(core);
        for (int i = 0; i < 100_000; i++) {
            limiter.tryAcquire("one-off-" + i);
        }
        assertThat(core.keyCount()).isEqualTo(100_000);
        time.advance(ofSeconds(2));
        int calls = 0;
        while (core.keyCount() > 1) {
            limiter.tryAcquire("regular", 0);
            limiter.tryAcquire("regular");
            time.advance(ofMillis(200));
            assertThat(calls++).as("calls until idle keys are gone").isLessThan(100_000);
        }
    }

    @Test
    void aKeyInUseIsNeverDropped() {
        LimiterCore core = core(Limit.slidingLog(1, ofDays(1)));
        Limiter limiter = limiter(core);
        assertThat(limiter.tryAcquire("victim")).isTrue();
        for (int i = 0; i < 50_000; i++) {
            limiter.tryAcquire("flood-" + i);
            time.advance(ofMillis(1));
        }
        assertThat(limiter.tryAcquire("victim")).isFalse();
        assertThat(core.keyCount()).isEqualTo(50_001);
    }

    @Test
    void keysThatGoAwayCanComeBack() {
        LimiterCore core = core(Limit.fixedWindow(1, ofMillis(1)));
        Limiter limiter = limiter(core);
        for (int round = 0; round < 50; round++) {
            for (int i = 0; i < 500; i++) {
                assertThat(limiter.tryAcquire("k" + i)).isTrue();
                assertThat(limiter.tryAcquire("k" + i)).isFalse();
            }
            time.advance(ofSeconds(round % 3));
            time.advance(ofMillis(1));
        }
        assertThat(core.keyCount()).isLessThanOrEqualTo(500);
    }

    @Test
    void pastTheMostKeysUnseenOnesShareACounterAndNobodyElseIsTouched() {
        LimiterCore core = core(100, "early-12", Limit.fixedWindow(3, ofSeconds(10)));
        Limiter limiter = limiter(core);
        for (int i = 0; i < 100; i++) {
            assertThat(limiter.tryAcquire("early-" + i, 2)).isTrue();
        }
        assertThat(limiter.tryAcquire("late-1")).isTrue();
        assertThat(limiter.tryAcquire("late-2")).isTrue();
        assertThat(limiter.tryAcquire("late-3")).isTrue();
        assertThat(limiter.tryAcquire("late-4")).isFalse();
        assertThat(core.keyCount()).isEqualTo(100);
        for (int i = 0; i < 100; i++) {
            assertThat(limiter.tryAcquire("early-" + i)).isTrue();
            assertThat(limiter.tryAcquire("early-" + i)).isFalse();
        }
    }

    /** Else a key could have the limit once in the common counter, and once more in its own. */
    @Test
    void whoLeavesTheCommonCounterTakesItsUseAlong() {
        LimiterCore core = core(1, "early", Limit.slidingLog(3, ofSeconds(10)));
        Limiter limiter = limiter(core);
        assertThat(limiter.tryAcquire("early")).isTrue();
        time.advance(ofSeconds(9));
        assertThat(limiter.tryAcquire("late", 3)).isTrue();
        time.advance(ofSeconds(3));
        assertThat(limiter.tryAcquire("")).isTrue();
        for (int i = 0; i < 50; i++) {
            limiter.peek("early");
            time.advance(ofMillis(1));
        }
        assertThat(limiter.tryAcquire("late")).as("3 taken in the last 10 s").isFalse();
        time.advance(ofSeconds(8));
        assertThat(limiter.tryAcquire("late", 3)).isTrue();
    }

    @Test
    void aStepBackCannotTellThatAKeyWasDropped() {
        LimiterCore core = core(Limit.slidingLog(1, ofMillis(10)));
        Limiter limiter = limiter(core);
        assertThat(limiter.tryAcquire("k")).isTrue();
        time.advance(ofSeconds(5));
        for (int i = 0; i < 100; i++) {
            limiter.peek("other");
            time.advance(ofMillis(1));
        }
        assertThat(core.keyCount()).isZero();
        time.stepBack(ofMillis(5090));
        Decision first = limiter.decide("k");
        Decision second = limiter.decide("k");
        assertThat(first.allowed())
                .as("five seconds had passed, whatever the clock says now")
                .isTrue();
        assertThat(second.allowed()).isFalse();
        time.advance(second.retryAfter().minusNanos(1000));
        assertThat(limiter.peek("k").allowed()).isFalse();
        time.advance(ofMillis(1));
        assertThat(limiter.peek("k").allowed()).isTrue();
    }

    @Test
    void keysOfOneHashCodeStayApartAndFast() {
        LimiterCore core = core(Limit.fixedWindow(1, ofSeconds(100)));
        Limiter limiter = limiter(core);
        int bits = 15;
        String[] keys = new String[1 << bits];
        for (int i = 0; i < keys.length; i++) {
            StringBuilder key = new StringBuilder();
            for (int bit = 0; bit < bits; bit++) {
                key.append((i >> bit & 1) == 0 ? "Aa" : "BB");
            }
            keys[i] = key.toString();
            assertThat(keys[i].hashCode()).isEqualTo(keys[0].hashCode());
        }
        for (String key : keys) {
            assertThat(limiter.tryAcquire(key)).isTrue();
        }
        for (String key : keys) {
            assertThat(limiter.tryAcquire(key)).isFalse();
        }
        assertThat(core.keyCount()).isEqualTo(keys.length);
        assertThat(core.longestProbe())
                .as("slots looked at to find a key, of 32,768 that collide")
                .isLessThan(200);
    }

    @Test
    void aHugeKeyIsNotKeptAsItIs() {
        String huge = "x".repeat(1 << 20);
        assertThat(HashedKey.of(huge)).isInstanceOf(HashedKey.class).isEqualTo(HashedKey.of("x".repeat(1 << 20)));
        assertThat(HashedKey.of(huge + "y")).isNotEqualTo(HashedKey.of(huge));
        assertThat(HashedKey.of("short")).isEqualTo("short");
        Limiter limiter = limiter(core(Limit.fixedWindow(1, ofSeconds(1))));
        assertThat(limiter.tryAcquire(huge)).isTrue();
        assertThat(limiter.tryAcquire(huge)).isFalse();
        assertThat(limiter.tryAcquire(huge + "y")).isTrue();
    }

    @Test
    void theMostKeysIsAtLeastOne() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Limiter.builder(Limit.concurrency(1)).maxBytes(0))
                .withMessageContaining("was 0");
    }

    @Test
    void keysInUseStay() {
        LimiterCore core = core(Limit.slidingLog(5, ofHours(1)), Limit.concurrency(5));
        Limiter limiter = limiter(core);
        Decision held = limiter.decide("held", 5);
        limiter.release("used", limiter.decide("used", 3));
        for (int i = 0; i < 50_000; i++) {
            limiter.release("once:" + i, limiter.decide("once:" + i, 1));
            time.advance(ofMillis(71));
        }
        assertThat(limiter.peek("used", 0).remaining())
                .as("50 seconds to the hour")
                .isEqualTo(2);
        assertThat(limiter.peek("held").allowed()).as("nobody has released it").isFalse();
        limiter.release("held", held);
        time.advance(ofSeconds(51));
        assertThat(limiter.peek("held", 5).allowed()).isTrue();
    }

    @Test
    void whatWasHeldInTheSharedCountIsReleasedThere() {
        Limiter limiter = limiter(core(1, "shared", Limit.concurrency(1)));
        Decision known = limiter.decide("known");
        Decision shared = limiter.decide("shared");
        assertThat(shared.allowed()).isTrue();
        limiter.release("known", known);
        for (int i = 0; i < 10; i++) {
            time.advance(ofSeconds(1));
            limiter.peek("known");
        }
        limiter.release("shared", shared);
        List<Decision> both = List.of(limiter.decide("known"), limiter.decide("other"));
        assertThat(both).as("everything was released").allMatch(Decision::allowed);
    }

    @Test
    void aClockThatStepsFarBackForgivesNobody() {
        Limiter limiter = limiter(core(Limit.slidingLog(2, ofHours(1))));
        time.advance(ofHours(100));
        assertThat(limiter.decide("a", 2).allowed()).isTrue();
        time.stepBack(ofHours(100));
        for (int i = 0; i < 1000; i++) {
            limiter.tryAcquire("other:" + i);
            time.advance(ofMillis(1));
        }
        assertThat(limiter.tryAcquire("a")).isFalse();
        time.advance(ofHours(101).minusSeconds(1).minusNanos(1000));
        assertThat(limiter.tryAcquire("a")).isFalse();
        time.advance(ofMillis(1));
        assertThat(limiter.tryAcquire("a")).isTrue();
    }
}
