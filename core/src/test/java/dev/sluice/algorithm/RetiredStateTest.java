package dev.sluice.algorithm;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A state that keys have shared, and that takes nothing any more: small, never fuller, and fresh one period later. */
class RetiredStateTest {
    private static final long PERIOD = 1000;

    static Stream<Algorithm> algorithms() {
        Algorithm log = new SlidingLog(50, PERIOD);
        Algorithm window = new SlidingWindow(50, PERIOD / 20, 20, false, Lineage.FIRST);
        return Stream.of(
                log,
                new SlidingLog(3, PERIOD),
                window,
                new SlidingWindow(50, PERIOD / 20, 20, true, Lineage.FIRST),
                new FixedWindow(50, WindowSchedule.fromFirstRequest(PERIOD)),
                new TokenBucket(Rate.of(50, PERIOD, 50), Lineage.FIRST),
                new AllOf(List.of(log, window)));
    }

    @ParameterizedTest
    @MethodSource("algorithms")
    void itIsSmallAndNeverFullerAndFreshAPeriodLater(Algorithm algorithm) {
        for (int seed = 0; seed < 300; seed++) {
            Random random = new Random(seed);
            State state = algorithm.fresh();
            long now = 0;
            for (int i = random.nextInt(200); i > 0; i--) {
                now += random.nextInt(random.nextInt(10) == 0 ? 800 : 40);
                long cost = 1L + random.nextInt(3);
                if (state.admits(now, cost)) {
                    state.take(now, cost);
                }
            }
            State retired = state.retired();
            assertThat(retired.bytes())
                    .as("seed %d", seed)
                    .isEqualTo(algorithm.fresh().bytes());
            for (long t = now; t < now + 2 * PERIOD; t += 1 + random.nextInt(50)) {
                assertThat(retired.remaining(t)).as("seed %d", seed).isLessThanOrEqualTo(state.remaining(t));
                assertThat(retired.remaining(t)).as("seed %d", seed).isNotNegative();
            }
            assertThat(retired.freshAt(now)).as("seed %d", seed).isEqualTo(state.freshAt(now));
            assertThat(retired.remaining(retired.freshAt(now)))
                    .as("seed %d", seed)
                    .isEqualTo(algorithm.capacity());
        }
    }

    @ParameterizedTest
    @MethodSource("algorithms")
    void whatWasTakenIsRefundedToIt(Algorithm algorithm) {
        if (algorithm instanceof AllOf) {
            return; // its parts are refunded, one by one
        }
        State state = algorithm.fresh();
        long[] marks = new long[20];
        int taken = 0;
        while (taken < 20 && state.admits(taken * 40L, 1)) {
            state.take(taken * 40L, 1);
            marks[taken] = state.mark();
            taken++;
        }
        State retired = state.retired();
        long now = taken * 40L;
        long remaining = retired.remaining(now);
        retired.refund(now, 40L * (taken / 2), marks[taken / 2], 1, 1);
        assertThat(retired.remaining(now)).isBetween(remaining, remaining + 1);
        for (int i = 0; i < taken; i++) {
            retired.refund(now, 40L * i, marks[i], 1, 1);
        }
        assertThat(retired.remaining(now)).isLessThanOrEqualTo(algorithm.capacity());
    }
}
