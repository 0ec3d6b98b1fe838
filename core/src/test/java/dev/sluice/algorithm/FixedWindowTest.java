package dev.sluice.algorithm;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The first and the last instant of a window. */
class FixedWindowTest {
    private final FixedWindow limit = new FixedWindow(10, WindowSchedule.fromFirstRequest(100));
    private final State state = limit.fresh();

    @Test
    void aRefundCountsFromTheStartOfTheWindowToItsEnd() {
        state.take(5, 4);
        state.refund(105, 5, state.mark(), 4, 1);
        assertThat(state.used(104)).as("the window was over").isEqualTo(4);
        state.refund(50, 105, state.mark(), 4, 1);
        assertThat(state.used(104)).as("of the next window").isEqualTo(4);
        state.refund(50, 4, state.mark(), 4, 1);
        assertThat(state.used(104)).as("of the one before").isEqualTo(4);
        state.refund(104, 5, state.mark(), 4, 1);
        assertThat(state.used(104)).isEqualTo(3);
        assertThat(state.latest()).isEqualTo(5);
        assertThat(state.bytes()).isEqualTo(HeapSize.object(1, 28));
    }

    @Test
    void aWindowThatIsOverIsNotMigrated() {
        state.take(5, 4);
        FixedWindow other = new FixedWindow(20, WindowSchedule.fromFirstRequest(100));
        assertThat(other.migrate(state, 104).used(104)).isEqualTo(4);
        assertThat(other.migrate(state, 105).used(104)).isZero();
    }
}
