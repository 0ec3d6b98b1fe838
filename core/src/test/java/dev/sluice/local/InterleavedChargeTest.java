package dev.sluice.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.Charge;
import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.ManualClock;
import dev.sluice.Outcome;
import dev.sluice.Store;
import dev.sluice.algorithm.Algorithm;
import dev.sluice.algorithm.AllOf;
import dev.sluice.algorithm.Lineage;
import dev.sluice.algorithm.Memory;
import dev.sluice.algorithm.State;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Several limiters charged together while another call comes between: after the first limiter was asked, and before the
 * last one is.
 */
@Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class InterleavedChargeTest {
    private static final Duration DAY = Duration.ofDays(1);
    private static final long NEVER_USED = Long.MIN_VALUE / 4;

    /** A limit that admits everything. The first time that it is asked, another call comes between. */
    private static final class Interruption implements Algorithm {
        private Runnable call = () -> {};

        @Override
        public State fresh() {
            return new Admitting(this);
        }

        @Override
        public long capacity() {
            return 1_000_000;
        }

        @Override
        public Lineage lineage() {
            return new Lineage(99, 0);
        }

        void happen() {
            Runnable once = call;
            call = () -> {};
            once.run();
        }
    }

    private static final class Admitting extends State {
        private final Interruption interruption;

        Admitting(Interruption interruption) {
            this.interruption = interruption;
        }

        @Override
        public Algorithm algorithm() {
            return interruption;
        }

        @Override
        public boolean admits(long now, long cost) {
            interruption.happen();
            return true;
        }

        @Override
        public boolean take(long stamp, long now, long cost) {
            return tryLock(stamp);
        }

        @Override
        public long used(long now) {
            return 0;
        }

        @Override
        public long readyAt(long now, long cost) {
            return now;
        }

        @Override
        public long freshAt(long now) {
            return NEVER_USED;
        }

        @Override
        public void refund(long now, long takenAt, long mark, long cost, long unused) {}

        @Override
        public State copy() {
            return new Admitting(interruption);
        }

        @Override
        public long bytes() {
            return 0;
        }
    }

    private final ManualClock time = new ManualClock();
    private final Store store = Store.local(time);
    private final MemoryBound bound = new MemoryBound(1 << 20);
    private final Interruption interruption = new Interruption();

    /** A limiter that is locked, and asked, before those made after it. */
    private LocalLimiter limiter(Limit... limits) {
        return limiter(CompiledLimits.of(List.of(limits), 0));
    }

    /** A limiter that is asked after those made before it; then the interruption happens. */
    private LocalLimiter interrupted(Limit limit) {
        CompiledLimits real = CompiledLimits.of(List.of(limit), 0);
        return limiter(new CompiledLimits(
                real.limits(),
                new AllOf(List.of(interruption, real.algorithm())),
                real.lineages(),
                real.nextId(),
                0,
                false));
    }

    private LocalLimiter limiter(CompiledLimits compiled) {
        return new LocalLimiter(new LimiterCore(compiled, time, null, time, bound, null), 100, false, null, null);
    }

    private List<Decision> decideAll(Charge... charges) {
        return store.decideAll(List.of(charges)).join();
    }

    private static Charge charge(Limiter limiter, long permits) {
        return new Charge(limiter, "k", permits);
    }

    private static long left(Limiter limiter) {
        return limiter.peek("k", 0).remaining();
    }

    private static long stamp(LocalLimiter limiter) {
        return limiter.core.entry("k").state.stamp();
    }

    // ---- Another call comes between

    @Test
    void whatIsTakenMeanwhileIsNotTakenTwice() {
        LocalLimiter first = limiter(Limit.fixedWindow(1, DAY));
        LocalLimiter last = interrupted(Limit.fixedWindow(10, DAY));
        interruption.call = () -> assertThat(first.tryAcquire("k")).isTrue();
        assertThat(decideAll(charge(first, 1), charge(last, 1)))
                .extracting(Decision::outcome)
                .containsExactly(Outcome.DENIED, Outcome.ALLOWED);
        assertThat(left(first)).isZero();
        assertThat(left(last)).isEqualTo(10);
    }

    @Test
    void locksAreGivenUpWhenTheLastOneCannotBeHad() {
        LocalLimiter first = limiter(Limit.fixedWindow(10, DAY));
        LocalLimiter last = interrupted(Limit.fixedWindow(10, DAY));
        interruption.call = () -> assertThat(last.tryAcquire("k")).isTrue();
        assertThat(decideAll(charge(first, 1), charge(last, 1))).allMatch(Decision::allowed);
        assertThat(left(first)).isEqualTo(9);
        assertThat(left(last)).isEqualTo(8);
    }

    @Test
    void whatADenialTellsIsOfOneMoment() {
        LocalLimiter first = limiter(Limit.fixedWindow(10, DAY));
        LocalLimiter last = interrupted(Limit.fixedWindow(1, DAY));
        first.decide("k");
        last.decide("k");
        interruption.call = () -> assertThat(first.tryAcquire("k")).isTrue();
        List<Decision> denied = decideAll(charge(first, 0), charge(last, 1));
        assertThat(denied).extracting(Decision::allowed).containsExactly(true, false);
        assertThat(denied.get(0).remaining()).isEqualTo(8);
    }

    @Test
    void aKeyThatIsLookedAtMayBecomeKnown() {
        LocalLimiter first = limiter(Limit.fixedWindow(10, DAY));
        LocalLimiter last = interrupted(Limit.fixedWindow(10, DAY));
        interruption.call = () -> assertThat(first.tryAcquire("k", 3)).isTrue();
        List<Decision> decisions = decideAll(charge(first, 0), charge(last, 1));
        assertThat(decisions).extracting(Decision::remaining).containsExactly(7L, 9L);
    }

    /** Both keys had counters; those were dropped, and there is no memory for others. */
    @Test
    void keysThatComeToShareACounterAddUp() {
        LocalLimiter first = limiter(Limit.fixedWindow(3, DAY));
        LocalLimiter last = interrupted(Limit.fixedWindow(10, DAY));
        decideAll(new Charge(first, "a", 2), new Charge(first, "b", 2), charge(last, 1));
        interruption.call = () -> {
            first.clear();
            leaveMemory(first, 0);
        };
        assertThat(decideAll(new Charge(first, "a", 2), new Charge(first, "b", 2), charge(last, 1)))
                .extracting(Decision::outcome)
                .containsExactly(Outcome.ALLOWED, Outcome.NEVER, Outcome.ALLOWED);
        assertThat(left(last)).isEqualTo(9);
    }

    // ---- Memory

    private static void leaveMemory(LocalLimiter limiter, long bytes) {
        Memory memory = limiter.core.memory();
        assertThat(memory.tryReserve(memory.available() - bytes)).isTrue();
    }

    @Test
    void memoryThatIsTakenMeanwhileDeniesTheWhole() {
        LocalLimiter first = limiter(Limit.slidingLog(1000, DAY));
        LocalLimiter last = interrupted(Limit.fixedWindow(10, DAY));
        first.decide("k");
        last.decide("k");
        interruption.call = () -> leaveMemory(first, 0);
        assertThat(decideAll(charge(last, 1), charge(first, 500)))
                .extracting(Decision::outcome)
                .containsExactly(Outcome.ALLOWED, Outcome.DENIED);
        assertThat(left(last)).isEqualTo(9);
        assertThat(first.core.entry("k").snapshot().used(0)).isEqualTo(1);
    }

    /** Each log could grow, and not both. */
    @Test
    void chargesToOneKeyThatNeedMoreMemoryThanThereIsAreDenied() {
        LocalLimiter logs = limiter(Limit.slidingLog(1000, DAY), Limit.slidingLog(1000, DAY.multipliedBy(2)));
        logs.decide("k");
        leaveMemory(logs, 5000);
        assertThat(decideAll(charge(logs, 500), charge(logs, 1)))
                .extracting(Decision::outcome)
                .containsExactly(Outcome.ALLOWED, Outcome.DENIED);
        assertThat(logs.core.entry("k").snapshot().part(0).used(0)).isEqualTo(1);
        assertThat(logs.core.memory().available()).isEqualTo(5000);
        assertThat(decideAll(charge(logs, 200), charge(logs, 1))).allMatch(Decision::allowed);
    }

    // ---- What other calls notice

    @Test
    void onlyWhatIsChargedChanges() {
        LocalLimiter looked = limiter(Limit.fixedWindow(10, DAY));
        LocalLimiter charged = limiter(Limit.fixedWindow(10, DAY));
        looked.decide("k");
        charged.decide("k");
        long lookedBefore = stamp(looked);
        long chargedBefore = stamp(charged);
        assertThat(decideAll(charge(looked, 0), charge(charged, 1))).allMatch(Decision::allowed);
        assertThat(stamp(looked)).isEqualTo(lookedBefore);
        assertThat(stamp(charged)).isNotEqualTo(chargedBefore);
    }

    @Test
    void aStateThatIsBeingChangedIsNotRead() throws Exception {
        LocalLimiter first = limiter(Limit.fixedWindow(10, DAY));
        LocalLimiter last = limiter(Limit.fixedWindow(1, DAY));
        first.decide("k");
        last.decide("k");
        State changing = first.core.entry("k").state;
        long stamp = changing.stamp();
        assertThat(changing.tryLock(stamp)).isTrue();
        CompletableFuture<List<Decision>> denied =
                CompletableFuture.supplyAsync(() -> decideAll(charge(first, 0), charge(last, 1)));
        assertThatThrownBy(() -> denied.get(200, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
        changing.take(0, 4);
        changing.unlock(stamp);
        assertThat(denied.get(10, TimeUnit.SECONDS).get(0).remaining()).isEqualTo(5);
    }
}
