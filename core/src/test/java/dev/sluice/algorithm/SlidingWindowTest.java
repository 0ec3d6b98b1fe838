package dev.sluice.algorithm;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The slices of a window, and the memory that they ask for. */
class SlidingWindowTest {
    private static final long SLICE_BYTES = 2 * Long.BYTES;

    private final SlidingWindow strict = new SlidingWindow(50, 10, 4, false, Lineage.FIRST);

    @Test
    void itTakesTheObjectAndTwoSlices() {
        assertThat(strict.fresh().bytes()).isEqualTo(HeapSize.object(3, 36) + HeapSize.longs(4));
    }

    @Test
    void itGrowsForAnotherSliceOnly() {
        State state = strict.fresh();
        long fresh = state.bytes();
        CountedMemory memory = new CountedMemory(1000);
        state.growWithin(memory);
        state.take(0, 1);
        state.take(10, 1);
        state.take(19, 1);
        assertThat(state.makeRoom(19, 1)).isTrue();
        assertThat(memory.asked).isEmpty();
        state.take(20, 1);
        assertThat(state.bytes()).isEqualTo(fresh + 2 * SLICE_BYTES);
        state.take(30, 1);
        state.take(39, 1);
        assertThat(memory.asked).as("full, but the slice is there").hasSize(1);
        state.take(49, 1);
        assertThat(state.bytes()).as("the current slice and the four before it").isEqualTo(fresh + 3 * SLICE_BYTES);
        assertThat(memory.asked).containsExactly(2 * SLICE_BYTES, SLICE_BYTES);
        for (long now = 50; now < 500; now += 10) {
            state.take(now, 1);
        }
        assertThat(memory.asked).hasSize(2);
        assertThat(state.used(490)).isEqualTo(5);
    }

    @Test
    void slicesThatFellOffLeaveTheirPlaces() {
        State state = strict.fresh();
        CountedMemory none = new CountedMemory(0);
        state.growWithin(none);
        state.take(0, 1);
        state.take(10, 2);
        state.take(50, 4);
        assertThat(none.asked).as("the first fell off").isEmpty();
        assertThat(state.used(50)).isEqualTo(6);
        state.take(200, 8);
        assertThat(state.makeRoom(210, 1)).isTrue();
        assertThat(none.asked).isEmpty();
        assertThat(state.used(200)).isEqualTo(8);
    }

    @Test
    void withoutMemoryTheNewestMovesOn() {
        State state = strict.fresh();
        CountedMemory none = new CountedMemory(0);
        state.growWithin(none);
        state.take(0, 1);
        state.take(10, 2);
        state.take(20, 4);
        assertThat(none.asked).containsExactly(2 * SLICE_BYTES);
        assertThat(state.used(59)).isEqualTo(6);
        assertThat(state.used(69)).isEqualTo(6);
        assertThat(state.used(70)).isZero();
        state.refund(20, 10, state.mark(), 2, 2);
        assertThat(state.used(20)).as("also what was taken before it moved").isEqualTo(5);
    }

    @Test
    void aRetiredWindowKeepsTheNewestSliceAndMergesTheOthers() {
        State state = strict.fresh();
        state.take(0, 3);
        state.take(10, 4);
        state.take(20, 5);
        State retired = state.retired();
        assertThat(retired.bytes()).isEqualTo(strict.fresh().bytes());
        assertThat(state.used(50)).isEqualTo(9);
        assertThat(retired.used(59)).isEqualTo(12);
        assertThat(retired.used(60)).isEqualTo(5);
        assertThat(retired.used(69)).isEqualTo(5);
        assertThat(retired.used(70)).isZero();
    }

    @Test
    void theSuccessorOfAWindowOfOneSliceHasRoomForAnother() {
        State state = strict.fresh();
        state.take(15, 3);
        State successor = state.retired().successor();
        successor.take(25, 1);
        assertThat(successor.bytes()).isEqualTo(strict.fresh().bytes());
        assertThat(successor.used(69)).isEqualTo(1);
    }

    @Test
    void whatIsTakenAfterTheClockStepsBackCountsInTheNewestSlice() {
        State state = new SlidingWindow(50, 100, 4, false, Lineage.FIRST).fresh();
        state.take(5, 1);
        State finer = strict.migrate(state, 50);
        assertThat(finer.freshAt(50)).isEqualTo(100);
        finer.take(45, 1);
        assertThat(finer.freshAt(45)).isEqualTo(100);
        assertThat(finer.used(99)).isEqualTo(2);
        assertThat(finer.used(100)).isZero();
    }

    @Test
    void aRefundIsPossibleUntilItsSliceFallsOff() {
        State state = strict.fresh();
        state.take(5, 3);
        State later = state.copy();
        state.refund(49, 5, state.mark(), 3, 2);
        assertThat(state.used(49)).isEqualTo(1);
        later.refund(50, 5, later.mark(), 3, 2);
        assertThat(later.used(49)).as("it had fallen off").isEqualTo(3);
    }

    @Test
    void aWeightedSliceLeavesBitByBit() {
        State state = new SlidingWindow(10, 10, 4, true, Lineage.FIRST).fresh();
        state.take(0, 10);
        assertThat(state.used(40)).isEqualTo(10);
        assertThat(state.used(41)).isEqualTo(9);
        assertThat(state.used(49)).isEqualTo(1);
        assertThat(state.used(50)).isZero();
        assertThat(state.readyAt(5, 1)).isEqualTo(41);
        assertThat(state.readyAt(5, 10)).isEqualTo(50);
    }
}
