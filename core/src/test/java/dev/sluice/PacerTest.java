package dev.sluice;

import static java.time.Duration.ofHours;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class PacerTest {
    private final ManualClock clock = new ManualClock();

    /** A pacer whose callers wait by moving the clock. */
    private Pacer paced(Pacer pacer) {
        return pacer.on(clock);
    }

    @Test
    @DisplayName("2 per second: acquire(5) waits 0, then acquire(2) waits 2.5 s, then acquire(1) waits 1.0 s")
    void theNextOnePays() {
        Pacer pacer = paced(Pacer.perSecond(2));
        assertThat(pacer.acquire(5)).isZero();
        assertThat(pacer.acquire(2)).isEqualTo(ofMillis(2500));
        assertThat(pacer.acquire(1)).isEqualTo(ofSeconds(1));
        assertThat(pacer.acquire()).isEqualTo(ofMillis(500));
        assertThat(clock.nanos()).isEqualTo(4_000_000_000L);
    }

    @Test
    void timeThatPassesAnywayIsNotWaitedFor() {
        Pacer pacer = paced(Pacer.perSecond(2));
        pacer.acquire(3);
        clock.advance(ofMillis(1100));
        assertThat(pacer.acquire()).isEqualTo(ofMillis(400));
    }

    @Test
    @DisplayName("Idle time is saved up to one second's worth of permits")
    void idleTimeIsSaved() {
        Pacer pacer = paced(Pacer.perSecond(2));
        clock.advance(ofSeconds(60));
        assertThat(waits(pacer, 6)).containsExactly(0L, 0L, 0L, 500L, 500L, 500L);
        clock.advance(ofSeconds(1));
        assertThat(waits(pacer, 4)).as("half a second was owed").containsExactly(0L, 0L, 500L, 500L);
    }

    @Test
    void aFractionOfAMicrosecondIsNotLost() {
        Pacer pacer = paced(Pacer.perSecond(3));
        for (int i = 0; i <= 3000; i++) {
            pacer.acquire();
        }
        assertThat(clock.nanos()).isEqualTo(1000_000_000_000L);
    }

    @Test
    void aWaitThatIsTooLongTakesNothing() {
        Pacer pacer = paced(Pacer.perSecond(2));
        pacer.acquire(4);
        assertThat(pacer.tryAcquire(1, ofMillis(1999))).isFalse();
        assertThat(pacer.tryAcquire(1, ofMillis(1999))).isFalse();
        assertThat(clock.nanos()).isZero();
        assertThat(pacer.tryAcquire(1, ofSeconds(2))).isTrue();
        assertThat(clock.nanos()).isEqualTo(2_000_000_000L);
    }

    @Test
    void aClockThatStepsBackHurriesNobody() {
        Pacer pacer = paced(Pacer.perSecond(2));
        clock.advance(ofSeconds(10));
        pacer.acquire(5);
        clock.stepBack(ofSeconds(10));
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
            clock.advance(ofSeconds(60));
        }
    }

    @Test
    void tryAcquireWithoutAWait() {
        Pacer pacer = paced(Pacer.perSecond(2));
        assertThat(pacer.tryAcquire(4)).isTrue();
        assertThat(pacer.tryAcquire()).isFalse();
        assertThat(clock.nanos()).as("nobody waited").isZero();
        clock.advance(ofMillis(1999));
        assertThat(pacer.tryAcquire()).isFalse();
        clock.advance(ofMillis(1));
        assertThat(pacer.tryAcquire()).isTrue();
    }

    @Test
    void aNegativeWaitIsTheSameAsNone() {
        Pacer pacer = paced(Pacer.perSecond(2));
        assertThat(pacer.tryAcquire(1, ofMillis(-1))).as("idle").isTrue();
        assertThat(pacer.tryAcquire(1, ofMillis(-1))).as("owes half a second").isFalse();
        assertThat(pacer.tryAcquire(1, ofSeconds(Long.MIN_VALUE))).isFalse();
        assertThat(clock.nanos()).isZero();
    }

    @Test
    @DisplayName("A change of rate: what was taken ahead is paid at the new rate")
    void aChangeOfRateKeepsTheDebt() {
        Pacer pacer = paced(Pacer.perSecond(2));
        pacer.acquire(10);
        clock.advance(ofSeconds(1)); // eight are owed still
        pacer.change(4, ofSeconds(1));
        assertThat(pacer.acquire()).isEqualTo(ofSeconds(2));
        assertThat(pacer.acquire()).isEqualTo(ofMillis(250));
        pacer.change(1, ofMinutes(1));
        assertThat(pacer.reserve(1)).isEqualTo(ofMinutes(1));
        pacer.change(2, ofMinutes(1));
        assertThat(pacer.reserve(1)).as("two are owed").isEqualTo(ofMinutes(1));
    }

    @Test
    void aChangeOfRateKeepsWhatWasSavedUpToASecondsWorth() {
        Pacer pacer = paced(Pacer.perSecond(4));
        clock.advance(ofSeconds(60));
        pacer.change(100, ofSeconds(1));
        assertThat(pacer.reserve(5)).isZero();
        assertThat(pacer.reserve(1)).as("four were saved").isEqualTo(ofMillis(10));
        clock.advance(ofSeconds(60));
        pacer.change(2, ofSeconds(1));
        assertThat(pacer.reserve(3)).isZero();
        assertThat(pacer.reserve(1)).as("two were kept").isEqualTo(ofMillis(500));
    }

    @Test
    void whoWasToldATimeKeepsIt() {
        Pacer pacer = paced(Pacer.perSecond(1));
        pacer.reserve(10);
        assertThat(pacer.reserve(1)).isEqualTo(ofSeconds(10));
        pacer.change(10, ofSeconds(1));
        assertThat(pacer.reserve(1)).as("goes before it").isEqualTo(ofMillis(1100));
    }

    @Test
    void aChangeThatIsRefusedChangesNothing() {
        Pacer pacer = paced(Pacer.perSecond(2).warmUp(ofSeconds(4)));
        pacer.reserve(4);
        Duration wait = pacer.reserve(1);
        assertThatIllegalArgumentException().isThrownBy(() -> pacer.change(0, ofSeconds(1)));
        assertThatIllegalArgumentException().isThrownBy(() -> pacer.change(1, Duration.ZERO));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> pacer.change(1_000_000_000_001L, ofSeconds(1)))
                .withMessageContaining("warm-up");
        clock.advance(wait);
        assertThat(pacer.reserve(1)).isEqualTo(ofMillis(500));
        assertThat(pacer.on(clock).reserve(1)).isZero();
    }

    @Test
    void aPacerMadeOfAnotherHasItsPresentRate() {
        Pacer pacer = paced(Pacer.perSecond(2));
        pacer.change(4, ofSeconds(1));
        Pacer other = pacer.on(new ManualClock());
        assertThat(other.reserve(4)).isZero();
        assertThat(other.reserve(1)).isEqualTo(ofSeconds(1));
    }

    @Test
    @Timeout(30)
    void anInterruptedCallerGivesBackIfNobodyCameAfter() throws InterruptedException {
        Pacer pacer = Pacer.of(1, ofHours(1));
        pacer.reserve(1);
        Waiter first = new Waiter(pacer);
        first.interrupt();
        assertThat(pacer.reserve(1)).as("the first one's debt alone").isLessThanOrEqualTo(ofHours(1));
    }

    @Test
    @Timeout(30)
    void anInterruptedCallerGivesNothingBackIfSomebodyCameAfter() throws InterruptedException {
        Pacer pacer = Pacer.of(1, ofHours(1));
        pacer.reserve(1);
        Waiter first = new Waiter(pacer);
        assertThat(pacer.reserve(1)).isGreaterThan(ofMinutes(119));
        first.interrupt();
        assertThat(pacer.reserve(1)).isGreaterThan(ofMinutes(179));
    }

    @Test
    void whoIsInterruptedBeforeTheCallTakesNothing() throws InterruptedException {
        Pacer pacer = paced(Pacer.perSecond(1));
        Thread.currentThread().interrupt();
        assertThatExceptionOfType(InterruptedException.class).isThrownBy(() -> pacer.acquireInterruptibly(5));
        assertThat(pacer.acquireInterruptibly(5)).isZero();
        assertThat(pacer.acquireInterruptibly(1))
                .as("a wait that nobody disturbs")
                .isEqualTo(ofSeconds(5));
        assertThat(clock.nanos()).isEqualTo(ofSeconds(5).toNanos());
    }

    @Test
    @Timeout(30)
    void otherCallsAreNotEndedByInterruption() throws InterruptedException {
        Pacer pacer = Pacer.of(1, ofMillis(20));
        pacer.reserve(1);
        Thread.currentThread().interrupt();
        Duration waited = pacer.acquire(1);
        assertThat(Thread.interrupted()).as("interrupted again afterwards").isTrue();
        assertThat(waited).isLessThanOrEqualTo(ofMillis(20));
    }

    /** A thread that waits in acquireInterruptibly. */
    private static final class Waiter {
        private final CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
        private final Thread thread;

        Waiter(Pacer pacer) {
            thread = new Thread(() -> {
                try {
                    pacer.acquireInterruptibly(1);
                    interrupted.complete(false);
                } catch (InterruptedException e) {
                    interrupted.complete(true);
                }
            });
            thread.start();
            while (thread.getState() != Thread.State.TIMED_WAITING) {
                Thread.onSpinWait();
            }
        }

        void interrupt() throws InterruptedException {
            thread.interrupt();
            thread.join();
            assertThat(interrupted).isCompletedWithValue(true);
        }
    }

    @Test
    @DisplayName("A rate that one second's worth of does not fit is refused, and the fastest that fits is exact")
    void theFastestRate() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Pacer.perSecond(9_300_000_000_001L))
                .withMessageContaining("9300000000001 permits per 1000000 microseconds")
                .withMessageContaining("1152921504606");
        assertThatIllegalArgumentException().isThrownBy(() -> Pacer.of(1L << 53, Duration.ofNanos(1000)));
        assertThatIllegalArgumentException().isThrownBy(() -> Pacer.perSecond(1_152_921_504_607L));
        for (long permits : new long[] {1_152_921_504_603L, 9_300_000_000_000L, 9_000_000_000_000_000L}) {
            Pacer pacer = paced(Pacer.perSecond(permits));
            clock.advance(ofSeconds(60));
            assertThat(pacer.reserve(permits)).isZero();
            assertThat(pacer.reserve(permits / 2)).as("all was saved").isZero();
            Duration wait = pacer.reserve(1);
            assertThat(wait).isBetween(ofMillis(500).minusNanos(1000), ofMillis(500));
        }
        Pacer fast = paced(Pacer.perSecond(1000));
        fast.change(1_152_921_504_603L, ofSeconds(1));
        assertThat(fast.reserve(1)).isZero();
        assertThatIllegalArgumentException().isThrownBy(() -> fast.change(9_300_000_000_001L, ofSeconds(1)));
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
