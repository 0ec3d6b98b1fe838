package dev.sluice.redis.hold;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.redis.hold.LeaseCall.Result;
import dev.sluice.spi.LimiterDecision;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Calls that Redis runs in another order than they were sent in, or answers late or never. */
class LeasedHoldsTest {
    private static final long TAKEN_AT = 1_000_000;
    private static final long FIVE_MINUTES = TimeUnit.MINUTES.toMicros(5);

    /** Runs what is scheduled when the test says so. */
    private static final class Steps extends ScheduledThreadPoolExecutor {
        private final List<Runnable> tasks = new ArrayList<>();

        Steps() {
            super(0);
        }

        @Override
        public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
            tasks.add(task);
            return super.schedule(() -> {}, 1, TimeUnit.HOURS);
        }

        void run() {
            List<Runnable> due = List.copyOf(tasks);
            tasks.clear();
            due.forEach(Runnable::run);
        }
    }

    /** A call on its way; Redis runs it, and its reply arrives, when the test says so. */
    private final class Sent {
        private final LeaseCall call;
        private final LeasedHolds.Reply reply;

        Sent(LeaseCall call, LeasedHolds.Reply reply) {
            this.call = call;
            this.reply = reply;
        }

        /** What lease.lua does. */
        Result run() {
            boolean hasId = holds.contains(call.next());
            boolean found = holds.remove(hasId ? call.next() : call.id());
            boolean restored = !found && call.leaseMicros() > 0 && call.permits() > 0;
            if (call.leaseMicros() > 0 && (found || restored)) {
                holds.add(call.next());
            }
            return found ? Result.FOUND : restored ? Result.RESTORED : Result.GONE;
        }

        void answer() {
            reply.replied(run());
        }

        void timeOut() {
            reply.replied(null);
        }
    }

    private final Steps steps = new Steps();
    /** What Redis holds: instants and ids. */
    private final Set<Long> holds = new HashSet<>(Set.of(TAKEN_AT));

    private boolean isAlikeHeld;
    private final List<Sent> sent = new ArrayList<>();
    private final HoldCounters counters = new HoldCounters();
    private final LeasedHolds leases = new LeasedHolds(
            new LeasedHolds.Runner() {
                @Override
                public boolean run(String key, LeaseCall call, LeasedHolds.Reply then) {
                    sent.add(new Sent(call, then));
                    return true;
                }

                @Override
                public boolean holdsAlike(String key, LeaseCall call) {
                    return isAlikeHeld;
                }
            },
            steps,
            counters,
            FIVE_MINUTES);

    @AfterEach
    void stop() {
        steps.shutdownNow();
    }

    private Sent last() {
        return sent.get(sent.size() - 1);
    }

    /** Puts the hold under its lease; Redis does not answer in time. */
    private long leasedInVain() {
        LimiterDecision taken = LimiterDecision.allowed(1, 50, 49, 0, 0, TAKEN_AT, 0, null, null);
        CompletableFuture<OptionalLong> leased = leases.lease("k", taken, FIVE_MINUTES);
        last().timeOut();
        return leased.join().orElseThrow();
    }

    private void assertThatNothingIsSent() {
        int before = sent.size();
        steps.run();
        assertThat(sent).hasSize(before);
    }

    @Test
    void aLeaseThatRunsAfterTheEndIsEnded() {
        long id = leasedInVain();
        leases.release("k", id, result -> assertThat(result).isEqualTo(Result.FOUND));
        last().answer();
        assertThat(holds).isEmpty();
        assertThat(sent.get(0).run()).isEqualTo(Result.RESTORED);
        sent.get(0).reply.repliedLate();
        steps.run();
        assertThat(last().call).isEqualTo(LeaseCall.end(id));
        last().answer();
        assertThat(holds).isEmpty();
        assertThatNothingIsSent();
        assertThat(counters.restored().sum()).isZero();
    }

    @Test
    void whatMayStillRunIsEndedAgainAndAgain() {
        long id = leasedInVain();
        leases.release("k", id, result -> {});
        last().answer();
        for (int i = 0; i < 3; i++) {
            steps.run();
            last().answer();
        }
        assertThat(sent.get(0).run()).isEqualTo(Result.RESTORED); // and its reply is lost
        steps.run();
        last().timeOut();
        assertThat(holds).containsExactly(id);
        steps.run();
        last().answer();
        assertThat(holds).isEmpty();
    }

    @Test
    void aRepetitionThatIsOvertakenByTheEndIsEnded() {
        long id = leasedInVain();
        steps.run();
        Sent repetition = last();
        leases.release("k", id, result -> {});
        sent.get(0).run();
        sent.get(0).reply.repliedLate();
        last().answer();
        repetition.answer();
        assertThat(holds).containsExactly(id);
        steps.run();
        last().answer();
        assertThat(holds).isEmpty();
        assertThatNothingIsSent();
    }

    @Test
    void aLeaseThatIsConfirmedWhileItsEndIsNotIsEnded() {
        long id = leasedInVain();
        steps.run();
        Sent repetition = last();
        leases.release("k", id, result -> {});
        last().timeOut();
        repetition.answer();
        assertThat(holds).containsExactly(id);
        steps.run();
        last().answer();
        assertThat(holds).isEmpty();
    }

    @Test
    void aLateReplyThatOvertakesThatOfTheEndIsNoReasonToStop() {
        long id = leasedInVain();
        leases.release("k", id, result -> {});
        Result ended = last().run();
        sent.get(0).run();
        sent.get(0).reply.repliedLate();
        last().reply.replied(ended);
        assertThat(holds).containsExactly(id);
        steps.run();
        last().answer();
        assertThat(holds).isEmpty();
        assertThatNothingIsSent();
    }

    @Test
    void aLeaseThatWasConfirmedByAnotherCallIsEndedAgain() {
        long id = leasedInVain();
        steps.run();
        last().answer();
        leases.release("k", id, result -> assertThat(result).isEqualTo(Result.FOUND));
        last().answer();
        assertThat(sent.get(0).run()).isEqualTo(Result.RESTORED);
        sent.get(0).reply.repliedLate();
        steps.run();
        last().answer();
        assertThat(holds).isEmpty();
        assertThatNothingIsSent();
    }

    /** The late call finds the other hold, and puts it under the lease. */
    @Test
    void aLateLeaseEndsNoHoldOfAnother() {
        long id = leasedInVain();
        steps.run();
        last().answer();
        leases.release("k", id, result -> {});
        last().answer();
        holds.add(TAKEN_AT); // the other
        isAlikeHeld = true;
        assertThat(sent.get(0).run()).isEqualTo(Result.FOUND);
        sent.get(0).reply.repliedLate();
        assertThatNothingIsSent();
        assertThat(holds).containsExactly(id);
        isAlikeHeld = false; // it has been released, and was not found
        steps.run();
        last().answer();
        assertThat(holds).isEmpty();
        assertThatNothingIsSent();
    }

    @Test
    void whatHasEndedIsNotAskedForAgain() {
        long id = leasedInVain();
        sent.get(0).run();
        sent.get(0).reply.repliedLate();
        leases.release("k", id, result -> assertThat(result).isEqualTo(Result.FOUND));
        last().answer();
        assertThat(holds).isEmpty();
        assertThatNothingIsSent();
    }
}
