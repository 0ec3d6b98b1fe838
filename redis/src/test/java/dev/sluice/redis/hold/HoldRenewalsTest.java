package dev.sluice.redis.hold;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.redis.hold.HoldRenewals.Group;
import dev.sluice.redis.hold.HoldRenewals.KeyHolds;
import dev.sluice.redis.hold.HoldRenewals.Renewed;
import dev.sluice.spi.LimiterDecision;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Which holds are renewed, and in how many calls. */
class HoldRenewalsTest {
    /** Runs what is scheduled when the test says so. */
    private static final class Steps extends ScheduledThreadPoolExecutor {
        private final List<Runnable> tasks = new ArrayList<>();
        private final List<Long> delaysMicros = new ArrayList<>();

        Steps() {
            super(0);
        }

        @Override
        public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
            tasks.add(task);
            delaysMicros.add(unit.toMicros(delay));
            return super.schedule(() -> {}, 1, TimeUnit.HOURS);
        }

        void run() {
            List<Runnable> due = List.copyOf(tasks);
            tasks.clear();
            due.forEach(Runnable::run);
        }
    }

    private final Steps steps = new Steps();
    private final List<List<KeyHolds>> calls = new ArrayList<>();
    private final List<LimiterDecision> released = new ArrayList<>();
    private final HoldCounters counters = new HoldCounters();
    private boolean severalKeys = true;
    private Consumer<Consumer<List<Renewed>>> server = then -> then.accept(List.of(new Renewed(0, 0)));

    private final HoldRenewals renewals = new HoldRenewals(
            new HoldRenewals.Renewal() {
                @Override
                public void renew(List<KeyHolds> holds, Consumer<List<Renewed>> then) {
                    calls.add(holds);
                    server.accept(then);
                }

                @Override
                public boolean takesSeveralKeys() {
                    return severalKeys;
                }

                @Override
                public void release(String key, LimiterDecision taken) {
                    released.add(taken);
                }
            },
            steps,
            counters,
            3_000_000);

    @AfterEach
    void stop() {
        steps.shutdownNow();
    }

    private static LimiterDecision hold(long permits, long remaining, long takenAt) {
        return LimiterDecision.allowed(permits, 50, remaining, 0, 0, takenAt, 0, null, null);
    }

    private List<Group> renewed() {
        calls.clear();
        steps.run();
        return calls.stream()
                .flatMap(List::stream)
                .flatMap(each -> each.groups().stream())
                .toList();
    }

    @Test
    void aHoldIsRenewedUntilACopyOfItsDecisionIsReleased() {
        LimiterDecision first = hold(1, 40, 1000);
        LimiterDecision second = hold(2, 38, 1000);
        renewals.add("k", first);
        renewals.add("k", second);
        renewals.add("k", second);
        assertThat(renewed()).containsExactly(new Group(first, 1), new Group(second, 2));
        renewals.remove("k", hold(2, 7, 1000));
        assertThat(renewed()).containsExactly(new Group(first, 1), new Group(second, 1));
        renewals.remove("k", first);
        renewals.remove("k", second);
        assertThat(renewed()).isEmpty();
        assertThat(steps.tasks).as("nothing to renew, nothing is scheduled").isEmpty();
        renewals.add("k", first);
        assertThat(renewed()).hasSize(1);
    }

    @Test
    void aCallHasABoundAndOnAClusterOneKey() {
        for (int i = 0; i < 500; i++) {
            renewals.add("k" + i % 5, hold(1, 0, i));
        }
        assertThat(renewed()).hasSize(500);
        assertThat(calls).hasSize(3);
        assertThat(calls)
                .allMatch(call ->
                        call.stream().mapToInt(each -> each.groups().size()).sum() <= HoldRenewals.MAX_GROUPS);
        severalKeys = false;
        assertThat(renewed()).hasSize(500);
        assertThat(calls).hasSize(5).allMatch(call -> call.size() == 1);
    }

    @Test
    void whatIsReleasedBeforeItIsAddedAgainIsReleasedAgain() {
        LimiterDecision hold = hold(1, 0, 1000);
        renewals.add("k", hold);
        server = then -> {
            renewals.remove("k", hold);
            then.accept(List.of(new Renewed(1, 0)));
        };
        renewed();
        assertThat(released).containsExactly(hold);
    }

    /** Redis may have done the release after the renewal: what is too many ends with its lease. */
    @Test
    void itIsNotReleasedAgainWhileAnotherIsHeldThatIsAlike() {
        LimiterDecision hold = hold(1, 0, 1000);
        renewals.add("k", hold);
        renewals.add("k", hold);
        server = then -> {
            renewals.remove("k", hold);
            then.accept(List.of(new Renewed(2, 0)));
        };
        renewed();
        assertThat(released).isEmpty();
    }

    @Test
    void aLostHoldIsCountedOnce() {
        renewals.add("k", hold(1, 0, 1000));
        server = then -> then.accept(List.of(new Renewed(0, 1)));
        renewed();
        renewed();
        assertThat(counters.lost().sum()).isEqualTo(1);
        server = then -> then.accept(List.of(new Renewed(1, 0)));
        renewed();
        assertThat(counters.restored().sum()).isEqualTo(1);
        assertThat(released).isEmpty();
    }

    @Test
    void aRenewalWithoutAReplyIsRepeatedSoon() {
        renewals.add("k", hold(1, 0, 1000));
        renewals.add("released", hold(1, 0, 1000));
        severalKeys = false;
        server = then -> then.accept(List.of());
        assertThat(renewed()).hasSize(2);
        renewals.remove("released", hold(1, 0, 1000));
        assertThat(steps.delaysMicros).containsExactly(1_000_000L, 1_000_000L, 250_000L);
        server = then -> then.accept(List.of(new Renewed(0, 0)));
        Runnable repeat = steps.tasks.remove(1);
        calls.clear();
        repeat.run();
        assertThat(calls).hasSize(1);
        assertThat(calls.get(0)).extracting(KeyHolds::key).containsExactly("k");
        assertThat(steps.tasks).as("the next regular renewal").hasSize(1);
    }
}
