package dev.sluice.local;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.ManualClock;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** {@code tryAcquire} checks that nothing is held before it takes; here the limits are changed between the two. */
class HoldlessTryTest {
    private static final Limit RATE = Limit.tokenBucket(5, Duration.ofMinutes(1));

    private final ManualClock time = new ManualClock();
    private final LimiterCore core =
            new LimiterCore(CompiledLimits.of(List.of(RATE), 0), time, null, time, new MemoryBound(1 << 20), null);

    @Test
    void aPermitThatNobodyCouldReleaseIsNotTaken() {
        assertThat(core.holds()).isFalse();
        core.change(List.of(Limit.concurrency(1)));
        for (String key : List.of("", "k")) {
            assertThat(core.tryAcquire(time.nanos(), key, 1, 100)).isFalse();
            assertThat(core.peek(key, 0, 100).remaining()).isEqualTo(1);
        }
    }

    @Test
    void norArePermitsOfTheOtherLimits() {
        core.decide("k", 2, 100, 0);
        core.change(List.of(Limit.concurrency(1), RATE));
        assertThat(core.tryAcquire(time.nanos(), "k", 1, 100)).isFalse();
        assertThat(core.peek("k", 0, 100).perLimit())
                .extracting(Decision::remaining)
                .containsExactly(1L, 3L);
    }
}
