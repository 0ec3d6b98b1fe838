package dev.sluice.algorithm;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The ring of a log, the run before it, and the memory that it asks for. */
class SlidingLogTest {
    private static final long SLOT = Long.BYTES;

    /** A log with a run of 5 permits at instant 100. */
    private static State behindRun(long capacity, long period) {
        State bucket = new TokenBucket(Rate.of(40, 1000, 40), Lineage.FIRST).fresh();
        bucket.take(100, 5);
        return new SlidingLog(capacity, period).migrate(bucket, 100);
    }

    private static State logged(SlidingLog log, long first, long last) {
        State state = log.fresh();
        for (long instant = first; instant <= last; instant++) {
            state.take(instant, 1);
        }
        return state;
    }

    // ---- Memory

    @Test
    void itTakesTheObjectAndTheRingAndARun() {
        long objects = HeapSize.object(4, 32) + HeapSize.object(0, 16);
        assertThat(new SlidingLog(100, 10).fresh().bytes()).isEqualTo(objects + HeapSize.longs(8));
        assertThat(new SlidingLog(3, 10).fresh().bytes()).isEqualTo(objects + HeapSize.longs(3));
        assertThat(behindRun(100, 10).bytes()).isEqualTo(objects + HeapSize.longs(8));
    }

    @Test
    void theRingDoublesUpToTheLimit() {
        State state = new SlidingLog(20, 10).fresh();
        long fresh = state.bytes();
        CountedMemory memory = new CountedMemory(1000);
        state.growWithin(memory);
        state.take(1, 8);
        assertThat(state.bytes()).isEqualTo(fresh);
        state.take(1, 1);
        assertThat(state.bytes()).isEqualTo(fresh + 8 * SLOT);
        state.take(1, 8);
        assertThat(state.bytes()).isEqualTo(fresh + 12 * SLOT);
        assertThat(memory.asked).containsExactly(8 * SLOT, 4 * SLOT);
        assertThat(memory.available()).isEqualTo(1000 - 12 * SLOT);
    }

    @Test
    void withoutMemoryToDoubleItAsksForAnEighthAndThenForWhatItNeeds() {
        State state = new SlidingLog(1000, 10).fresh();
        state.take(1, 64);
        CountedMemory none = new CountedMemory(0);
        state.growWithin(none);
        assertThat(state.makeRoom(1, 16)).isFalse();
        assertThat(none.asked).containsExactly(64 * SLOT, (80 + 10 - 64) * SLOT, 16 * SLOT);
        long before = state.bytes();
        state.growWithin(new CountedMemory(26 * SLOT));
        assertThat(state.makeRoom(1, 16)).isTrue();
        assertThat(state.bytes()).isEqualTo(before + 26 * SLOT);
    }

    @Test
    void itAsksForNoMoreThanTheLimit() {
        State state = new SlidingLog(85, 10).fresh();
        state.take(1, 64);
        CountedMemory none = new CountedMemory(0);
        state.growWithin(none);
        assertThat(state.makeRoom(1, 16)).isFalse();
        assertThat(none.asked).containsExactly(21 * SLOT, 21 * SLOT, 16 * SLOT);
    }

    @Test
    void aRingThatIsJustLongEnoughDoesNotGrow() {
        State state = logged(new SlidingLog(100, 10), 1, 8);
        CountedMemory none = new CountedMemory(0);
        state.growWithin(none);
        assertThat(state.makeRoom(11, 1)).as("the first has left").isTrue();
        assertThat(state.makeRoom(10, 1)).as("it has not").isFalse();
        assertThat(none.asked).hasSize(3);
        state.take(11, 1);
        assertThat(state.used(11)).isEqualTo(8);
        assertThat(state.used(12)).as("in the slot of the first").isEqualTo(7);
        assertThat(state.freshAt(12)).isEqualTo(21);
    }

    @Test
    void aChargeWithoutMemoryIsNone() {
        State state = new SlidingLog(100, 10).fresh();
        state.take(1, 8);
        state.growWithin(new CountedMemory(0));
        long stamp = state.stamp();
        assertThat(state.take(stamp, 1, 1)).isFalse();
        assertThat(SequenceLock.isLocked(state.stamp())).isFalse();
        assertThat(state.used(1)).isEqualTo(8);
        assertThat(state.remaining(1)).isZero();
        assertThat(state.readyAt(1, 1)).isEqualTo(11);
        assertThat(state.readyAt(1, 9)).as("as soon as all of this is gone").isEqualTo(11);
    }

    // ---- The run before the ring

    @Test
    void theRunLeavesAsAWhole() {
        State state = behindRun(10, 10);
        state.take(105, 3);
        assertThat(state.used(109)).isEqualTo(8);
        assertThat(state.used(110)).isEqualTo(3);
        assertThat(state.readyAt(105, 2)).isEqualTo(105);
        assertThat(state.readyAt(105, 3)).isEqualTo(110);
        assertThat(state.readyAt(105, 8)).isEqualTo(115);
        assertThat(state.freshAt(105)).isEqualTo(115);
    }

    @Test
    void aRefundTakesFromTheRingFirstAndThenFromTheRun() {
        State state = behindRun(10, 10);
        state.take(100, 2);
        state.refund(100, 100, state.mark(), 7, 4);
        assertThat(state.used(100)).isEqualTo(3);
        state.take(101, 1);
        state.refund(101, 101, state.mark(), 1, 1);
        assertThat(state.used(101)).as("not from a run before it").isEqualTo(3);
        state.refund(101, 101, state.mark(), 1, 1);
        assertThat(state.used(101)).isEqualTo(3);
        state.refund(101, 99, state.mark(), 1, 1);
        assertThat(state.used(101)).as("taken before the run was made").isEqualTo(2);
        state.refund(101, 100, state.mark(), 9, 9);
        assertThat(state.used(101)).isZero();
        assertThat(state.freshAt(101)).isLessThan(100);
    }

    // ---- Refunds

    @Test
    void atTheInstantAtWhichAPermitLeavesNothingIsRefunded() {
        State state = logged(new SlidingLog(10, 10), 5, 5);
        state.refund(15, 5, state.mark(), 1, 1);
        assertThat(state.used(14)).isEqualTo(1);
        state.refund(14, 5, state.mark(), 1, 1);
        assertThat(state.used(14)).isZero();
    }

    @Test
    void aRefundInAFullRingThatWrapsAroundMovesTheLaterOnesUp() {
        State state = logged(new SlidingLog(8, 10), 1, 8);
        state.take(11, 1);
        state.take(12, 1);
        state.refund(12, 7, state.mark(), 1, 1);
        assertThat(state.used(12)).isEqualTo(7);
        assertThat(state.used(16)).isEqualTo(3);
        assertThat(state.used(17)).isEqualTo(3);
        assertThat(state.used(18)).isEqualTo(2);
        assertThat(state.used(21)).isEqualTo(1);
        assertThat(state.freshAt(12)).isEqualTo(22);
    }

    // ---- A log that takes nothing any more

    @Test
    void aRetiredLogMergesTheOldest() {
        State state = logged(new SlidingLog(50, 100), 1, 3);
        for (long instant = 50; instant <= 60; instant++) {
            state.take(instant, 1);
        }
        state.take(103, 1);
        State retired = state.retired();
        assertThat(retired.bytes()).isEqualTo(new SlidingLog(50, 100).fresh().bytes());
        assertThat(retired.used(103)).isEqualTo(12);
        assertThat(retired.used(152)).as("until the last of the merged leaves").isEqualTo(12);
        assertThat(retired.used(153)).isEqualTo(8);
        assertThat(retired.used(154)).isEqualTo(7);
        assertThat(retired.used(203)).isZero();
    }

    @Test
    void aRetiredLogKeepsTheRunThatIsInTheWindow() {
        State state = behindRun(50, 100);
        state.take(150, 3);
        State retired = state.retired();
        assertThat(retired.used(150)).isEqualTo(8);
        assertThat(retired.used(200)).isEqualTo(3);
        state.take(160, 7);
        assertThat(state.retired().used(249)).as("with those that were merged").isEqualTo(15);
        assertThat(state.retired().used(250)).isEqualTo(7);
    }

    @Test
    void aRetiredLogForgetsTheRunThatHasLeft() {
        State state = behindRun(50, 100);
        state.take(150, 10);
        State shorter = new SlidingLog(50, 50).migrate(state, 150);
        assertThat(shorter.used(150)).isEqualTo(10);
        assertThat(shorter.retired().used(150)).isEqualTo(10);
    }
}
