package dev.sluice.spi;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Decision;
import dev.sluice.Scheduler;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Every future is completed, with a scheduler or without. */
class CompletionsTest {
    private static final Decision ALLOWED = LimiterDecision.allowed(1, 1, 0, 0);
    private static final Scheduler FAILING = (delay, action) -> {
        throw new IllegalStateException("no alarm, as this test wants it");
    };

    private static final class Pending extends PendingDecision {
        @Override
        protected Runnable withdraw() {
            return () -> {};
        }
    }

    private static Pending add(Completions completions) {
        Pending waiter = new Pending();
        completions.add(waiter, ALLOWED, taken -> {});
        return waiter;
    }

    @Test
    void withoutASchedulerNobodyStandsByAndAllAreCompleted() {
        Completions completions = new Completions(FAILING);
        List<Pending> waiters = List.of(add(completions), add(completions));
        completions.run();
        assertThat(waiters).allMatch(waiter -> waiter.join() == ALLOWED);
        Pending later = add(completions);
        Runnable rest = completions.later();
        assertThat(later).isNotDone();
        rest.run();
        assertThat(later).isCompletedWithValue(ALLOWED);
    }

    @Test
    void withoutASchedulerADeepStackGoesOn() {
        AtomicInteger completed = new AtomicInteger();
        completeInside(FAILING, 50, completed);
        assertThat(completed).hasValue(50);
    }

    @Test
    void aSchedulerTakesADeepStackOver() {
        List<Runnable> handedOver = new ArrayList<>();
        AtomicInteger completed = new AtomicInteger();
        completeInside(
                (delay, action) -> {
                    handedOver.add(action);
                    return () -> {};
                },
                50,
                completed);
        assertThat(completed).hasValue(16);
        while (!handedOver.isEmpty()) {
            handedOver.remove(0).run();
        }
        assertThat(completed).hasValue(50);
    }

    private static void completeInside(Scheduler scheduler, int depth, AtomicInteger completed) {
        Completions completions = new Completions(scheduler);
        Pending waiter = add(completions);
        waiter.thenAccept(decision -> {
            completed.incrementAndGet();
            if (depth > 1) {
                completeInside(scheduler, depth - 1, completed);
            }
        });
        completions.run();
    }
}
