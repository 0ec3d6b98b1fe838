package dev.sluice.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Law 12 on random traces: waits of several keys and shares, beside plain calls, refunds, releases, resets, other limits,
 * clocks that jump, and owners that complete their futures.
 */
class WaitingLawTest {
    private static final int TRACES = Integer.getInteger("sluice.traces", 1000);
    private static final long SEED = Long.getLong("sluice.seed", 1);
    private static final int STEPS = 40;

    @ParameterizedTest
    @EnumSource(WaitingTrial.Scene.class)
    void everyWaitEnds(WaitingTrial.Scene scene) {
        for (int trace = 0; trace < TRACES; trace++) {
            long seed = SEED * 1_000_003 + trace;
            List<WaitingTrial.Step> steps = steps(seed);
            String broken = broken(scene, seed, steps);
            if (broken != null) {
                List<WaitingTrial.Step> shortest = shortest(scene, seed, steps);
                WaitingTrial trial = new WaitingTrial(scene, seed);
                String how = run(trial, shortest);
                fail("law 12 is broken, seed %d:%n%s%n%s", seed, String.join("\n", trial.story()), how);
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
            WaitingTrial.Scene scene, long seed, List<WaitingTrial.Step> steps) {
        List<WaitingTrial.Step> shortest = steps;
        for (int chunk = steps.size() / 2; chunk >= 1; chunk = chunk == 1 ? 0 : chunk / 2) {
            for (int from = shortest.size() - chunk; from >= 0; from--) {
                if (from + chunk <= shortest.size()) {
                    List<WaitingTrial.Step> shorter = new ArrayList<>(shortest);
                    shorter.subList(from, from + chunk).clear();
                    shortest = broken(scene, seed, shorter) != null ? shorter : shortest;
                }
            }
        }
        return shortest;
    }

    private static @Nullable String broken(WaitingTrial.Scene scene, long seed, List<WaitingTrial.Step> steps) {
        return run(new WaitingTrial(scene, seed), steps);
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

    /** A long queue costs few steps of its forecast, whoever joins, leaves and is served. */
    @Test
    void aQueueOfManyCostsLittle() {
        int many = 100_000;
        WaitQueueCost queue = new WaitQueueCost(many);
        queue.joinAll();
        assertThat(queue.steps()).as("each extends the forecast").isBetween(many / 2L, 2L * many);
        queue.leaveHalf(new Random(SEED));
        assertThat(queue.steps()).as("leaving needs no forecast").isLessThanOrEqualTo(2L * many);
        long operations = queue.operations();
        long steps = queue.steps();
        queue.joinAndLeaveInTurns();
        assertThat(queue.steps() - steps)
                .as("a stale forecast is made again when it is paid for")
                .isBetween(many / 2L, Turns.FREE_STEPS * (queue.operations() - operations) + many);
        queue.serveAll();
        int log = 17;
        assertThat(queue.steps()).isLessThanOrEqualTo(queue.operations() * log);
    }
}
