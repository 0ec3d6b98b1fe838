package dev.sluice.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Decision;
import dev.sluice.spi.LimiterDecision;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class HoldRenewalsTest {
    /** Runs what is scheduled when the test says so. */
    private static final class Steps extends ScheduledThreadPoolExecutor {
        private final List<Runnable> tasks = new ArrayList<>();

        Steps() {
            super(0);
        }

        @Override
        public ScheduledFuture<?> scheduleWithFixedDelay(Runnable task, long first, long pause, TimeUnit unit) {
            tasks.add(task);
            return schedule(() -> {}, 0, unit);
        }
    }

    @Test
    void aHoldIsRenewedUntilACopyOfItsDecisionIsReleased() {
        try (Stepped stepped = new Stepped()) {
            HoldRenewals renewals = stepped.renewals;
            LimiterDecision first = LimiterDecision.allowed(1, 50, 40, 0, 0, 1_000, 0, null, null);
            LimiterDecision second = LimiterDecision.allowed(2, 50, 38, 0, 0, 1_000, 0, null, null);
            renewals.add("k", first);
            renewals.add("k", second);
            renewals.add("k", second);
            assertThat(stepped.renewed()).containsExactly(first, second, second);
            renewals.remove("k", LimiterDecision.allowed(2, 50, 7, 0, 0, 1_000, 0, null, null));
            assertThat(stepped.renewed()).containsExactly(first, second);
            renewals.remove("k", first);
            renewals.remove("k", second);
            assertThat(stepped.renewed()).isEmpty();
        }
    }

    private static final class Stepped implements AutoCloseable {
        private final Steps steps = new Steps();
        private final List<Decision> renewed = new ArrayList<>();
        private final HoldRenewals renewals = new HoldRenewals((key, hold) -> renewed.add(hold), steps, 3_000_000);

        List<Decision> renewed() {
            renewed.clear();
            steps.tasks.forEach(Runnable::run);
            return renewed;
        }

        @Override
        public void close() {
            steps.shutdownNow();
        }
    }
}
