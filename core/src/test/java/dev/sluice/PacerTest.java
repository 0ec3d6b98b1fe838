package dev.sluice;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.sluice.contract.FakeClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class PacerTest {
    private final FakeClock clock = new FakeClock(0);

    /** A pacer whose callers wait by moving the clock. */
    private Pacer paced(Pacer pacer) {
        return pacer.on(clock, clock::advance);
    }

    @Test
    @DisplayName("2 per second: acquire(5) waits 0, then acquire(2) waits 2.5 s, then acquire(1) waits 1.0 s")
    void theNextOnePays() {
        Pacer pacer = paced(Pacer.perSecond(2));
        assertThat(pacer.acquire(5)).isZero();
        assertThat(pacer.acquire(2)).isEqualTo(ofMillis(2500));
        assertThat(pacer.acquire(1)).isEqualTo(ofSeconds(1));
        assertThat(pacer.acquire()).isEqualTo(ofMillis(500));
        assertThat(clock.micros()).isEqualTo(4_000_000);
    }

    @Test
    void timeThatPassesAnywayIsNotWaitedFor() {
        Pacer pacer = paced(Pacer.perSecond(2));
        pacer.acquire(3);
        clock.advance(1_100_000);
        assertThat(pacer.acquire()).isEqualTo(ofMillis(400));
    }

    @Test
    @DisplayName("Idle time is saved up to one second's worth of permits")
    void idleTimeIsSaved() {
        Pacer pacer = paced(Pacer.perSecond(2));
        clock.advance(60_000_000);
        assertThat(waits(pacer, 6)).containsExactly(0L, 0L, 0L, 500L, 500L, 500L);
        clock.advance(500_000 + 500_000);
        assertThat(waits(pacer, 4)).as("half a second was owed").containsExactly(0L, 0L, 500L, 500L);
    }

    @Test
    void aFractionOfAMicrosecondIsNotLost() {
        Pacer pacer = paced(Pacer.perSecond(3));
        for (int i = 0; i <= 3000; i++) {
            pacer.acquire();
        }
        assertThat(clock.micros()).isEqualTo(1000_000_000);
    }

    @Test
    void aWaitThatIsTooLongTakesNothing() {
        Pacer pacer = paced(Pacer.perSecond(2));
        pacer.acquire(4);
        assertThat(pacer.tryAcquire(1, ofMillis(1999))).isFalse();
        assertThat(pacer.tryAcquire(1, ofMillis(1999))).isFalse();
        assertThat(clock.micros()).isZero();
        assertThat(pacer.tryAcquire(1, ofSeconds(2))).isTrue();
        assertThat(clock.micros()).isEqualTo(2_000_000);
    }

    @Test
    void aClockThatStepsBackHurriesNobody() {
        Pacer pacer = paced(Pacer.perSecond(2));
        clock.set(10_000_000);
        pacer.acquire(5);
        clock.set(0);
        assertThat(pacer.reserve(1)).isGreaterThanOrEqualTo(ofMillis(500)).isLessThanOrEqualTo(ofSeconds(13));
    }

    @Test
    @DisplayName("Warm-up: from a third of the rate to all of it in the time given, and cold again after idling")
    void warmUp() {
        Pacer pacer = paced(Pacer.perSecond(10).warmUp(ofSeconds(4)));
        for (int round = 0; round < 2; round++) {
            List<Long> waits = waits(pacer, 60);
            assertThat(waits.get(0)).as("an idle pacer lets the first go").isZero();
            List<Long> paid = waits.subList(1, waits.size());
            assertThat(paid).isSortedAccordingTo((a, b) -> Long.compare(b, a));
            assertThat(paid.get(0)).as("a third of the rate").isBetween(290L, 300L);
            assertThat(paid.stream().limit(20).mapToLong(w -> w).sum())
                    .as("20 permits in 4 s")
                    .isBetween(3980L, 4000L);
            assertThat(paid.subList(20, 59)).as("then the full rate").containsOnly(100L);
            clock.advance(60_000_000);
        }
    }

    @Test
    void badInput() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Pacer.perSecond(0))
                .withMessageContaining("0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Pacer.of(1, Duration.ZERO))
                .withMessageContaining("PT0S");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Pacer.perSecond(1).warmUp(ofSeconds(-1)))
                .withMessageContaining("-1");
        Pacer pacer = paced(Pacer.perSecond(1));
        for (long permits : new long[] {0, -1, Long.MIN_VALUE}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> pacer.acquire(permits))
                    .withMessageContaining(Long.toString(permits));
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> pacer.acquire(Long.MAX_VALUE))
                .withMessageContaining(Long.toString(Long.MAX_VALUE));
        assertThat(pacer.acquire(1)).as("nothing was taken").isZero();
    }

    private static List<Long> waits(Pacer pacer, int calls) {
        List<Long> waits = new ArrayList<>();
        for (int i = 0; i < calls; i++) {
            waits.add(pacer.acquire().toMillis());
        }
        return waits;
    }
}
