package dev.sluice.examples;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Decision;
import dev.sluice.Limit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class LeakyBucketExamplesTest {
    @Test
    @DisplayName("1 per second, capacity 5: 5 of 10 at once, then one after each second, across the turn of a minute")
    void acrossTheMinute() {
        Scene meter = Scene.of(Limit.leakyBucket(1, ofSeconds(1)).capacity(5));
        assertThat(meter.atSeconds(57.5).calls(10)).isEqualTo("AAAAADDDDD");
        for (int i = 1; i <= 6; i++) {
            assertThat(meter.atMicros(57_500_000 + i * 1_000_000L - 1).calls(1)).isEqualTo("D");
            assertThat(meter.atMicros(57_500_000 + i * 1_000_000L).calls(2))
                    .as("%d s later", i)
                    .isEqualTo("AD");
        }
    }

    @Test
    @DisplayName("1 per second, capacity 5, queue: 5 of 10 at once, to start a second apart")
    void queue() {
        Scene queue = Scene.of(Limit.leakyBucket(1, ofSeconds(1)).capacity(5).queue());
        for (int i = 0; i < 5; i++) {
            Decision decision = queue.decide(1);
            assertThat(decision.allowed()).isTrue();
            assertThat(decision.delay()).isEqualTo(ofSeconds(i));
        }
        assertThat(queue.calls(5)).isEqualTo("DDDDD");
        assertThat(queue.atSeconds(1).decide(1).delay()).isEqualTo(ofSeconds(4));
    }
}
