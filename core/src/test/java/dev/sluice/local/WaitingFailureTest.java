package dev.sluice.local;

import static java.time.Duration.ofHours;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.ManualClock;
import dev.sluice.algorithm.State;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Clocks and schedulers that fail in the middle of something, and stores that close: every wait ends all the same. */
@Timeout(60)
class WaitingFailureTest {
    private static final Logger LOG = Logger.getLogger(Limiter.class.getName());

    private final ManualClock time = new ManualClock();
    private final List<String> logged = new ArrayList<>();
    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord record) {
            logged.add(record.getMessage());
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    /** What happens with the next readings of the clock, in order. */
    private final Deque<Runnable> readings = new ArrayDeque<>();

    private int schedulerFailures;

    private LocalLimiterBuilder builder(Limit... limits) {
        return new LocalLimiterBuilder(limits)
                .ticker(() -> {
                    Runnable reading = readings.poll();
                    if (reading != null) {
                        reading.run();
                    }
                    return time.nanos();
                })
                .scheduler((delay, action) -> {
                    if (schedulerFailures > 0) {
                        schedulerFailures--;
                        throw new IllegalStateException("no alarm, as this test wants it");
                    }
                    return time.schedule(delay, action);
                });
    }

    private LocalLimiter limiter(Limit... limits) {
        return builder(limits).build();
    }

    private void failAtReading(int number) {
        atReading(number, () -> {
            throw new IllegalStateException("no time, as this test wants it");
        });
    }

    private void atReading(int number, Runnable action) {
        for (int i = 1; i < number; i++) {
            readings.add(() -> {});
        }
        readings.add(action);
    }

    @BeforeEach
    void listen() {
        LOG.setUseParentHandlers(false);
        LOG.addHandler(handler);
    }

    @AfterEach
    void listenNoMore() {
        LOG.removeHandler(handler);
        LOG.setUseParentHandlers(true);
    }

    private static void assertDenied(CompletableFuture<Decision> wait) {
        assertThat(wait).isCompletedWithValueMatching(decision -> !decision.allowed(), "denied");
    }

    private static void assertAllowed(CompletableFuture<Decision> wait) {
        assertThat(wait).isCompletedWithValueMatching(Decision::allowed, "allowed");
    }

    /** Each on a thread of its own, so that a lock that is kept shows. */
    private static <T> T elsewhere(Supplier<T> call) throws Exception {
        CompletableFuture<T> result = new CompletableFuture<>();
        Thread thread = new Thread(() -> result.completeAsync(call, Runnable::run));
        thread.setDaemon(true);
        thread.start();
        return result.get(20, TimeUnit.SECONDS);
    }

    // ---- Schedulers that fail

    @Test
    void whoeverWasServedBeforeAFailureIsAnswered() {
        LocalLimiter limiter = limiter(Limit.slidingLog(1, ofSeconds(10)));
        limiter.decide("k");
        CompletableFuture<Decision> first = limiter.acquireAsync("k", 1, ofHours(1));
        CompletableFuture<Decision> second = limiter.acquireAsync("k", 1, ofHours(1));
        time.advance(ofMillis(9999));
        schedulerFailures = 1; // when it is to wake the second
        time.advance(ofMillis(1));
        assertAllowed(first);
        assertThat(logged).hasSize(1).allMatch(line -> line.contains("1 per 10s sliding-log"));
        assertThat(second).isNotDone();
        time.advance(ofSeconds(10));
        assertAllowed(second);
        assertThat(time.pending()).isZero();
    }

    /** It cannot be woken, so it does not wait: else it would take permits that nobody knows of. */
    @Test
    void withoutASchedulerNobodyWaits() {
        LocalLimiter limiter = limiter(Limit.tokenBucket(1, ofSeconds(1)));
        limiter.decide("k");
        schedulerFailures = 2; // to wake it, and to look again
        assertThatThrownBy(() -> limiter.acquireAsync("k", 1, ChronoUnit.FOREVER.getDuration()))
                .hasMessageContaining("no alarm");
        assertThat(limiter.core.waiting.isEmpty()).isTrue();
        time.advance(ofSeconds(1));
        assertThat(limiter.tryAcquire("k")).isTrue();
    }

    // ---- Clocks that fail

    @Test
    void aRefundWhoseWaitersCannotBeServedServesThemASecondLater() throws Exception {
        LocalLimiter limiter = limiter(Limit.fixedWindow(1, ofSeconds(10)));
        Decision taken = limiter.decide("k");
        CompletableFuture<Decision> wait = limiter.acquireAsync("k", 1, ofHours(1));
        assertThat(time.pending()).as("its deadline and its turn").isEqualTo(2);
        failAtReading(2);
        elsewhere(() -> {
            limiter.refund("k", taken);
            return true;
        });
        assertThat(logged).hasSize(1);
        assertThat(wait).isNotDone();
        assertThat(time.pending()).as("its deadline and the next look").isEqualTo(2);
        assertThat(elsewhere(() -> limiter.peek("k")).allowed()).isFalse();
        time.advance(ofMillis(999));
        assertThat(wait).isNotDone();
        time.advance(ofMillis(1));
        assertAllowed(wait);
    }

    @Test
    void whoeverExpiresWhenTheClockFailsIsToldSo() throws Exception {
        LocalLimiter limiter = limiter(Limit.concurrency(1));
        limiter.decide("k");
        CompletableFuture<Decision> wait = limiter.acquireAsync("k", 1, ofSeconds(1));
        WaitQueue queue = Objects.requireNonNull(limiter.core.waiting.queue("k"));
        failAtReading(2); // when it has left the queue, and is to be told what is left
        elsewhere(() -> {
            time.advance(ofSeconds(1));
            return true;
        });
        assertThat(wait).isCompletedExceptionally();
        assertThatThrownBy(wait::join).hasMessageContaining("a wait for 1 permits");
        assertThat(limiter.core.waiting.isEmpty()).isTrue();
        assertThat(time.pending()).isZero();
        assertThat(elsewhere(queue::forecastSteps)).isZero();
    }

    /** Whichever reading fails: the call has taken nothing, and nobody stays behind in the queue. */
    @Test
    void aCallThatThrowsDoesNotWait() {
        LocalLimiter limiter = limiter(Limit.tokenBucket(1, ofSeconds(1)));
        int failures = 0;
        for (int reading = 1; reading <= 10; reading++) {
            limiter.reset("k");
            limiter.decide("k");
            failAtReading(reading);
            try {
                CompletableFuture<Decision> wait = limiter.acquireAsync("k", 1, ofSeconds(5));
                readings.clear();
                time.advance(ofSeconds(1));
                time.advance(ofSeconds(1));
                assertAllowed(wait);
            } catch (IllegalStateException thrown) {
                failures++;
                time.advance(ofSeconds(1));
                assertThat(limiter.tryAcquire("k"))
                        .as("after reading %d failed", reading)
                        .isTrue();
            }
            assertThat(limiter.core.waiting.isEmpty()).isTrue();
            assertThat(time.pending()).isZero();
        }
        assertThat(failures).isPositive();
    }

    // ---- Deep stacks

    /** Inside many completions the scheduler completes the next; whoever expires there is denied, and does not fail. */
    @Test
    void whoeverExpiresInsideManyCompletionsIsDenied() {
        List<Runnable> alarms = new ArrayList<>();
        LocalLimiter expiring = new LocalLimiterBuilder(Limit.concurrency(1))
                .ticker(time)
                .scheduler((delay, action) -> {
                    alarms.add(action);
                    return () -> {};
                })
                .build();
        expiring.decide("k");
        CompletableFuture<Decision> wait = expiring.acquireAsync("k", 1, ofSeconds(1));
        time.advance(ofSeconds(1));
        Limiter chain = limiter(Limit.concurrency(1));
        inside(16, chain, () -> alarms.get(0).run());
        assertThat(wait).isNotDone();
        assertThat(alarms).hasSize(2);
        alarms.get(1).run();
        assertDenied(wait);
    }

    private static void inside(int completions, Limiter chain, Runnable action) {
        String key = "k" + completions;
        Decision held = chain.decide(key);
        CompletableFuture<Void> next = chain.acquireAsync(key, 1, ofHours(1)).thenAccept(decision -> {
            if (completions == 1) {
                action.run();
            } else {
                inside(completions - 1, chain, action);
            }
        });
        chain.release(key, held);
        assertThat(next).isCompleted();
    }

    // ---- Stores that close

    @Test
    void aStoreThatClosesBeforeTheQueueIsJoinedRefuses() {
        LocalLimiter limiter = limiter(Limit.tokenBucket(1, ofSeconds(1)));
        limiter.decide("k");
        atReading(2, limiter::close);
        CompletableFuture<Decision> wait = limiter.acquireAsync("k", 1, ofHours(1));
        assertDenied(wait);
        assertThat(limiter.core.waiting.isEmpty()).isTrue();
        assertThat(time.pending()).isZero();
    }

    @Test
    void aStoreThatClosesBeforeADelayBeginsRefusesAndRefunds() {
        LocalLimiter queue =
                limiter(Limit.leakyBucket(1, ofSeconds(1)).capacity(3).queue());
        queue.decide("k");
        atReading(1, queue::close);
        CompletableFuture<Decision> wait = queue.acquireAsync("k", 1, ofHours(1));
        assertDenied(wait);
        assertThat(queue.peek("k", 0).remaining()).isEqualTo(2);
        assertThat(queue.core.waiting.isEmpty()).isTrue();
        assertThat(time.pending()).isZero();
    }

    // ---- Entries that go away

    @Test
    void theQueueOfADroppedEntryIsNotJoined() {
        LocalLimiter limiter = limiter(Limit.tokenBucket(1, ofSeconds(1)));
        Entry dropped = new Entry("k", 0, limiter.core.state.copy());
        dropped.drop();
        Waiter waiter = new Waiter("k", 1, 100, State.NEVER);
        assertThat(new WaitQueue(limiter.core, limiter.core.waiting, dropped).join(waiter))
                .isFalse();
        assertThat(waiter).isNotDone();
    }

    // ---- Locks

    @Test
    void noOperationKeepsTheLock() throws Exception {
        LocalLimiter limiter = limiter(Limit.slidingLog(10, ofSeconds(10)));
        Limiter half = limiter.withShare(50);
        limiter.decide("k", 5);
        CompletableFuture<Decision> first = elsewhere(() -> half.acquireAsync("k", 1, ofHours(1)));
        CompletableFuture<Decision> second = elsewhere(() -> half.acquireAsync("k", 1, ofHours(1)));
        assertThat(limiter.core.waiting.isEmpty()).isFalse();
        assertThat(elsewhere(() -> limiter.decide("k")).allowed())
                .as("overtakes")
                .isTrue();
        assertThat(elsewhere(() -> half.peek("k")).allowed()).isFalse();
        WaitQueue queue = Objects.requireNonNull(limiter.core.waiting.queue("k"));
        assertThat(elsewhere(queue::forecastSteps)).isPositive();
        assertThat(elsewhere(() -> first.cancel(false))).isTrue();
        assertThat(elsewhere(() -> queue.leaveAll(() -> true))).containsExactly((Waiter) second);
        assertThat(limiter.core.waiting.isEmpty()).isTrue();
        assertThat(elsewhere(() -> queue.join((Waiter) second))).as("dissolved").isFalse();
    }
}
