package dev.sluice;

import static java.time.Duration.ofDays;
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
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class ManualClockTest {
    private final ManualClock clock = new ManualClock();
    private final List<String> ran = new ArrayList<>();

    private Runnable at(long delayMillis, String name) {
        return clock.schedule(delayMillis * 1000, () -> ran.add(name + "@" + millis()));
    }

    private long millis() {
        return Duration.ofNanos(clock.nanos()).toMillis();
    }

    @Test
    void aUsersTestWaitsWithoutSleeping() {
        Limiter limiter =
                Limiter.builder(Limit.slidingLog(1, ofMinutes(1))).clock(clock).build();
        assertThat(limiter.tryAcquire("k")).isTrue();
        CompletableFuture<Decision> waiting = limiter.acquireAsync("k", 1, ofMinutes(2));
        clock.advance(ofMinutes(1).minusNanos(1000));
        assertThat(waiting).isNotDone();
        clock.advance(Duration.ofNanos(1000));
        assertThat(waiting).isCompletedWithValueMatching(Decision::allowed);
        assertThat(clock.pending()).isZero();
    }

    @Test
    void tickerAndSchedulerCanBeSetOneByOne() {
        Limiter limiter = Limiter.builder(Limit.concurrency(1))
                .ticker(clock)
                .scheduler(clock)
                .build();
        Hold held = limiter.hold("k");
        CompletableFuture<Decision> waiting = limiter.acquireAsync("k", 1, ofSeconds(5));
        assertThat(clock.pending()).isPositive();
        clock.advance(ofSeconds(5));
        assertThat(waiting).isCompletedWithValueMatching(decision -> !decision.allowed());
        held.close();
    }

    @Test
    void whatIsDueRunsInOrderEachAtItsTime() {
        at(30, "c");
        at(10, "a");
        at(10, "b");
        at(31, "late");
        clock.advance(ofMillis(30));
        assertThat(ran).containsExactly("a@10", "b@10", "c@30");
        assertThat(clock.pending()).isEqualTo(1);
        assertThat(millis()).isEqualTo(30);
    }

    @Test
    void whatIsScheduledMeanwhileRunsTooIfItIsDue() {
        clock.schedule(10_000, () -> {
            at(0, "now");
            at(5, "soon");
            at(20, "later");
        });
        clock.advance(ofMillis(20));
        assertThat(ran).containsExactly("now@10", "soon@15");
        clock.advance(ofMillis(10));
        assertThat(ran).containsExactly("now@10", "soon@15", "later@30");
    }

    @Test
    void aDelayOfNothingRunsWithTheNextAdvance() {
        at(0, "zero");
        at(-5, "past");
        assertThat(ran).isEmpty();
        clock.advance(Duration.ZERO);
        assertThat(ran).containsExactly("zero@0", "past@0");
    }

    @Test
    void whatIsCanceledDoesNotRun() {
        Runnable cancel = at(10, "canceled");
        at(10, "kept");
        cancel.run();
        cancel.run();
        assertThat(clock.pending()).isEqualTo(1);
        clock.advance(ofMillis(10));
        assertThat(ran).containsExactly("kept@10");
    }

    @Test
    void aStepBackChangesWhatIsDueByNothing() {
        clock.advance(ofMillis(100));
        at(10, "a");
        clock.stepBack(ofMillis(50));
        assertThat(millis()).isEqualTo(50);
        clock.advance(ofMillis(59));
        assertThat(ran).isEmpty();
        clock.advance(ofMillis(1));
        assertThat(ran).containsExactly("a@110");
        clock.stepBack(ofMillis(111));
        assertThat(clock.nanos()).isEqualTo(-1_000_000);
    }

    @Test
    void anActionMayAdvanceTheClockItself() {
        clock.schedule(10_000, () -> clock.advance(ofMillis(5)));
        at(12, "between");
        at(17, "after");
        clock.advance(ofMillis(20));
        assertThat(ran).containsExactly("between@12", "after@17");
        assertThat(millis()).as("both advances count").isEqualTo(25);
    }

    @Test
    void anActionThatThrowsLosesNoOther() {
        clock.schedule(10_000, () -> {
            throw new IllegalStateException("an action's own");
        });
        at(10, "next");
        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(() -> clock.advance(ofMillis(20)))
                .withMessage("an action's own");
        assertThat(millis()).isEqualTo(10);
        clock.advance(Duration.ZERO);
        assertThat(ran).containsExactly("next@10");
    }

    @Test
    void othersMayScheduleWhileAnActionRuns() throws InterruptedException {
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch scheduled = new CountDownLatch(1);
        clock.schedule(0, () -> {
            running.countDown();
            await(scheduled); // for ever, if the action ran under the lock that scheduling needs
        });
        Thread other = new Thread(() -> {
            await(running);
            at(0, "other");
            assertThat(clock.pending()).isEqualTo(1);
            scheduled.countDown();
        });
        other.start();
        clock.advance(ofMillis(1));
        other.join();
        assertThat(ran).containsExactly("other@0");
    }

    @Test
    void threadsThatAdvanceAtOnceAddUpAndRunEverythingOnce() throws InterruptedException {
        AtomicInteger runs = new AtomicInteger();
        for (int i = 1; i <= 4000; i++) {
            clock.schedule(i * 1000L, runs::incrementAndGet);
        }
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < 4; t++) {
            threads.add(new Thread(() -> {
                for (int i = 0; i < 1000; i++) {
                    clock.advance(ofMillis(1));
                }
            }));
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(millis()).isEqualTo(4000);
        assertThat(runs).hasValue(4000);
        assertThat(clock.pending()).isZero();
    }

    @Test
    void badInput() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> clock.advance(ofMillis(-1)))
                .withMessageContaining("PT-0.001S");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> clock.stepBack(ofMillis(-1)))
                .withMessageContaining("PT-0.001S");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> clock.advance(ofDays(200_000)))
                .withMessageContaining("292 years");
        clock.schedule(Long.MAX_VALUE, () -> ran.add("never"));
        clock.stepBack(ofDays(100_000));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> clock.stepBack(ofDays(10_000)))
                .withMessageContaining("292 years");
        clock.advance(ofDays(100_000));
        clock.advance(ofDays(100_000));
        assertThat(ran).isEmpty();
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
