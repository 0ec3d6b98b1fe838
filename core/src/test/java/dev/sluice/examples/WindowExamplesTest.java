package dev.sluice.examples;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Decision;
import dev.sluice.Limit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class WindowExamplesTest {
    @Test
    @DisplayName("Fixed, 100 per minute, aligned: 100 at 0:59 and 100 at 1:00 both pass")
    void boundaryProblem() {
        Scene fixed = Scene.of(Limit.fixedWindow(100, ofMinutes(1)).aligned());
        assertThat(fixed.atSeconds(59).decide(100).allowed()).isTrue();
        assertThat(fixed.atSeconds(60).decide(100).allowed()).isTrue();
        assertThat(fixed.decide(1).allowed()).isFalse();
    }

    @Test
    @DisplayName("Fixed, 100 per minute, from the first request: the second hundred waits for the minute to end")
    void fromTheFirstRequest() {
        Scene fixed = Scene.of(Limit.fixedWindow(100, ofMinutes(1)));
        assertThat(fixed.atSeconds(59).decide(100).allowed()).isTrue();
        assertThat(fixed.atSeconds(60).decide(100).retryAfter()).hasSeconds(59);
        assertThat(fixed.atMicros(119_000_000 - 1).decide(100).allowed()).isFalse();
        assertThat(fixed.atMicros(119_000_000).decide(100).allowed()).isTrue();
    }

    @Test
    @DisplayName("Sliding, 100 per minute in 6 slices: the second hundred is denied")
    void noBoundaryProblem() {
        Scene sliding = Scene.of(Limit.slidingWindow(100, ofMinutes(1), 6));
        assertThat(sliding.atSeconds(59).decide(100).allowed()).isTrue();
        Decision second = sliding.atSeconds(60).decide(100);
        assertThat(second.allowed()).isFalse();
        assertThat(second.remaining()).isZero();
        assertThat(second.retryAfter())
                .as("until the slice of 0:50 to 1:00 has left in full")
                .isEqualTo(ofMinutes(1));
    }

    /** What is often seen: N slices in all, so that the oldest, which still overlaps in part, is left out. */
    private static final class NaiveSlices {
        private final Map<Long, Long> slices = new HashMap<>();

        boolean allow(long millis, long permits) {
            long now = millis / 100;
            long used = 0;
            for (long slice = now - 3; slice <= now; slice++) {
                used += slices.getOrDefault(slice, 0L);
            }
            if (used + permits > 8) {
                return false;
            }
            slices.merge(now, permits, Long::sum);
            return true;
        }
    }

    @Test
    @DisplayName("Sliding, 4 slices of 100 ms, 8 permits, 2 asked for every 100 ms: strict beside the N-slice version")
    void strictBesideNaive() {
        Scene strict = Scene.of(Limit.slidingWindow(8, ofMillis(400), 4));
        NaiveSlices naive = new NaiveSlices();
        List<String> table = new ArrayList<>();
        for (int call = 0; call < 20; call++) {
            Decision decision = strict.atMillis(100L * call).decide(2);
            table.add("%4d  %s %d  %s"
                    .formatted(
                            100 * call,
                            decision.allowed() ? "A" : "D",
                            decision.remaining(),
                            naive.allow(100L * call, 2) ? "A" : "D"));
        }
        assertThat(table)
                .containsExactly(
                        // ms  strict, left  N-slice
                        "   0  A 6  A",
                        " 100  A 4  A",
                        " 200  A 2  A",
                        " 300  A 0  A",
                        " 400  D 0  A",
                        " 500  A 0  A",
                        " 600  A 0  A",
                        " 700  A 0  A",
                        " 800  A 0  A",
                        " 900  D 0  A",
                        "1000  A 0  A",
                        "1100  A 0  A",
                        "1200  A 0  A",
                        "1300  A 0  A",
                        "1400  D 0  A",
                        "1500  A 0  A",
                        "1600  A 0  A",
                        "1700  A 0  A",
                        "1800  A 0  A",
                        "1900  D 0  A");
    }

    @Test
    @DisplayName("Why strict denies the fifth: the N-slice version lets 16 through within 301 ms")
    void naiveLetsTwiceTheLimitThrough() {
        NaiveSlices naive = new NaiveSlices();
        assertThat(naive.allow(99, 8)).isTrue();
        assertThat(naive.allow(400, 8)).isTrue();

        Scene strict = Scene.of(Limit.slidingWindow(8, ofMillis(400), 4));
        assertThat(strict.atMillis(99).decide(8).allowed()).isTrue();
        assertThat(strict.atMillis(400).decide(1).allowed()).isFalse();
        assertThat(strict.atMillis(499).decide(1).allowed()).isFalse();
        assertThat(strict.atMillis(500).decide(8).allowed()).isTrue();
    }
}
