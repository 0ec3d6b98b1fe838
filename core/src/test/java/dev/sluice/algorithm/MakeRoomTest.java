package dev.sluice.algorithm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

/** A state that has to grow and cannot: nothing is charged, and nothing stays locked. */
class MakeRoomTest {
    private final State state = new AllOf(
                    List.of(new FixedWindow(100, WindowSchedule.fromFirstRequest(100)), new SlidingLog(100, 100)))
            .fresh();

    /** Memory with {@code available} bytes that says so, and then throws or refuses. */
    private record Deceitful(long available, boolean throwing) implements Memory {
        @Override
        public boolean tryReserve(long bytes) {
            if (throwing) {
                throw new OutOfMemoryError("in a test");
            }
            return false;
        }

        @Override
        public void release(long bytes) {}
    }

    @Test
    void anErrorChargesNoPart() {
        state.growWithin(new Deceitful(1000, true));
        long stamp = state.stamp();
        assertThat(state.admits(1, 20)).isTrue();
        assertThatThrownBy(() -> state.take(stamp, 1, 20)).isInstanceOf(OutOfMemoryError.class);
        assertUntouched();
    }

    @Test
    void aRefusalChargesNoPart() {
        state.growWithin(new Deceitful(1000, false));
        assertThat(state.take(state.stamp(), 1, 20)).isFalse();
        assertUntouched();
        state.growWithin(new Deceitful(0, false));
        assertThat(state.admits(1, 20)).as("now it knows").isFalse();
        assertThat(state.remaining(1)).isEqualTo(8);
        assertThat(state.take(state.stamp(), 1, 8)).isTrue();
    }

    @Test
    void afterMakingRoomATakeNeedsNone() {
        state.growWithin(new Deceitful(0, true));
        assertThat(state.makeRoom(1, 8)).isTrue();
        state.growWithin(Memory.UNBOUNDED);
        assertThat(state.makeRoom(1, 50)).isTrue();
        state.growWithin(new Deceitful(0, true));
        state.take(1, 50);
        assertThat(state.part(0).used(1)).isEqualTo(50);
        assertThat(state.part(1).used(1)).isEqualTo(50);
    }

    private void assertUntouched() {
        assertThat(SequenceLock.isLocked(state.stamp())).isFalse();
        assertThat(state.part(0).used(1)).isZero();
        assertThat(state.part(1).used(1)).isZero();
    }
}
