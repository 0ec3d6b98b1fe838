package dev.sluice.redis.wait;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.ManualClock;
import dev.sluice.Outcome;
import dev.sluice.spi.LimiterDecision;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Law 12 for the wait queues of Redis on random traces: waits of several keys and shares on a store that answers at once,
 * late or not at all, beside plain calls, refunds, releases, resets, other limits, and owners that complete their futures.
 */
class WaitingLawTest {
    private static final int TRACES = Integer.getInteger("sluice.traces", 1000);
    private static final long SEED = Long.getLong("sluice.seed", 1);
    private static final int STEPS = 40;

    private static final Logger LOG = Logger.getLogger(Limiter.class.getName());

    /** The replies that fail are logged. */
    @BeforeAll
    static void beQuiet() {
        LOG.setLevel(Level.OFF);
    }

    @AfterAll
    static void beLoud() {
        LOG.setLevel(null);
    }

    @ParameterizedTest
    @EnumSource(WaitingTrial.Scene.class)
    void everyWaitEnds(WaitingTrial.Scene scene) {
        for (int trace = 0; trace < TRACES; trace++) {
            for (WaitingTrial.Replies replies : WaitingTrial.Replies.values()) {
                long seed = SEED * 1_000_003 + trace;
                List<WaitingTrial.Step> steps = steps(seed);
                if (broken(scene, replies, seed, steps) != null) {
                    WaitingTrial trial = new WaitingTrial(scene, replies, seed);
                    String how = run(trial, shortest(scene, replies, seed, steps));
                    fail("law 12 is broken, replies %s, seed %d:%n%s%n%s", replies, seed, trial.story(), how);
                }
            }
        }
    }

    private static List<WaitingTrial.Step> steps(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        List<WaitingTrial.Step> steps = new ArrayList<>();
        for (int i = 0; i < STEPS; i++) {
            steps.add(WaitingTrial.Step.random(random));
        }
        return steps;
    }

    private static List<WaitingTrial.Step> shortest(
            WaitingTrial.Scene scene, WaitingTrial.Replies replies, long seed, List<WaitingTrial.Step> steps) {
        List<WaitingTrial.Step> shortest = steps;
        for (int chunk = steps.size() / 2; chunk >= 1; chunk = chunk == 1 ? 0 : chunk / 2) {
            for (int from = shortest.size() - chunk; from >= 0; from--) {
                if (from + chunk <= shortest.size()) {
                    List<WaitingTrial.Step> shorter = new ArrayList<>(shortest);
                    shorter.subList(from, from + chunk).clear();
                    shortest = broken(scene, replies, seed, shorter) != null ? shorter : shortest;
                }
            }
        }
        return shortest;
    }

    private static @Nullable String broken(
            WaitingTrial.Scene scene, WaitingTrial.Replies replies, long seed, List<WaitingTrial.Step> steps) {
        return run(new WaitingTrial(scene, replies, seed), steps);
    }

    /** How the law is broken; null if it holds. */
    private static @Nullable String run(WaitingTrial trial, List<WaitingTrial.Step> steps) {
        try {
            steps.forEach(trial::perform);
            trial.end();
            return null;
        } catch (RuntimeException | AssertionError thrown) {
            return thrown + " at " + thrown.getStackTrace()[0];
        }
    }

    /** With a cost of O(n) for each this would take minutes. */
    @Test
    @Timeout(30)
    void joiningAndLeavingAQueueOfManyIsCheap() {
        int many = 200_000;
        ManualClock time = new ManualClock();
        Limiter held = Limiter.builder(Limit.concurrency(10)).clock(time).build();
        WaitQueues queues = new WaitQueues(new Denying(held), time, time, 0);
        List<CompletableFuture<Decision>> waits = new ArrayList<>();
        for (int i = 0; i < many; i++) {
            waits.add(queues.await("k", 1, 100 - i % 3, 1_000_000L));
        }
        for (int i = many - 1; i >= many / 2; i--) {
            waits.get(i).cancel(false);
        }
        assertThat(waits.get(0)).isNotDone();
        time.advance(Duration.ofMinutes(1));
        assertThat(waits).allMatch(CompletableFuture::isDone);
        assertThat(queues.isEmpty()).isTrue();
        assertThat(time.pending()).isZero();
    }

    /** Denies at once. */
    private record Denying(Limiter limiter) implements WaitQueues.Permits {
        @Override
        public List<Limit> limits() {
            return limiter.limits();
        }

        @Override
        public CompletableFuture<Decision> take(String key, long permits, int percent, long maxDelay) {
            return CompletableFuture.completedFuture(byPolicy(key, permits, percent));
        }

        @Override
        public CompletableFuture<Decision> peek(String key, long permits, int percent) {
            return take(key, permits, percent, 0);
        }

        @Override
        public Decision byPolicy(String key, long permits, int percent) {
            return LimiterDecision.denied(Outcome.DENIED, permits, 1, 0, Decision.NEVER_MICROS, Decision.NEVER_MICROS);
        }

        @Override
        public void refund(String key, LimiterDecision taken) {
            throw new AssertionError("nothing was taken");
        }
    }

    /** Compared with the queue of one JVM, which knows the state: nobody is refused whose turn comes in time. */
    @Test
    void theForecastIsNeverLaterThanTheTurn() {
        SplittableRandom random = new SplittableRandom(SEED);
        int exact = 0;
        for (int i = 0; i < 10 * TRACES; i++) {
            Duration period = Duration.ofMillis(100);
            int permits = 1 + random.nextInt(5);
            List<Limit> kinds = List.of(
                    Limit.fixedWindow(permits, period),
                    Limit.fixedWindow(permits, period).aligned(),
                    Limit.slidingWindow(permits, period, 4),
                    Limit.slidingWindow(permits, period, 4).weighted(),
                    Limit.slidingLog(permits, period),
                    Limit.tokenBucket(permits, period),
                    Limit.tokenBucket(permits, period).burst(permits + 3),
                    Limit.leakyBucket(permits, period));
            List<Limit> limits = random.nextInt(3) > 0
                    ? List.of(kinds.get(random.nextInt(kinds.size())))
                    : List.of(kinds.get(random.nextInt(kinds.size())), kinds.get(random.nextInt(kinds.size())));
            exact += checkForecast(random, limits, permits) ? 1 : 0;
        }
        assertThat(exact).as("forecasts that were exact").isGreaterThan(TRACES);
    }

    private static boolean checkForecast(SplittableRandom random, List<Limit> limits, int permits) {
        ManualClock time = new ManualClock();
        time.advance(Duration.ofNanos(random.nextLong(1_000_000_000L)));
        Limiter limiter =
                Limiter.builder(limits.toArray(Limit[]::new)).clock(time).build();
        for (int i = random.nextInt(6); i >= 0; i--) {
            limiter.decide("k", 1 + random.nextInt(permits));
            time.advance(Duration.ofNanos(random.nextLong(30_000_000L)));
        }
        int waiters = 1 + random.nextInt(12);
        long[] costs = random.longs(waiters, 1, permits + 1L).toArray();
        long sum = 0;
        for (long cost : costs) {
            sum += cost;
        }
        TurnForecast forecast = new TurnForecast(limits, 100);
        long asked = forecast.cost(sum);
        Decision denied = limiter.peek("k", asked);
        long earliest = forecast.earliestMicros(denied, asked, sum);
        long start = time.nanos();
        long[] turn = {0};
        for (long cost : costs) {
            CompletableFuture<Void> served = limiter.acquireAsync("k", cost, Duration.ofDays(1))
                    .thenAccept(decision -> turn[0] = TimeUnit.NANOSECONDS.toMicros(time.nanos() - start));
            assertThat(served).isNotCompletedExceptionally();
        }
        time.advance(Duration.ofMinutes(1));
        assertThat(earliest).as("%s, %s, of %d", limits, denied, sum).isLessThanOrEqualTo(turn[0]);
        return earliest >= turn[0] - 1;
    }
}
