package dev.sluice.algorithm;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class AllOfTest {
    private final AllOf both = new AllOf(List.of(
            new SlidingLog(5, 10), new FixedWindow(3, WindowSchedule.fromFirstRequest(100)), new Concurrency(4)));

    @Test
    void theTightestPartSpeaksForAll() {
        State state = both.fresh();
        assertThat(state.algorithm()).isSameAs(both);
        assertThat(both.capacity()).isEqualTo(3);
        state.take(1, 2);
        assertThat(state.latest()).isEqualTo(1);
        assertThat(state.used(1)).isEqualTo(2);
        assertThat(state.remaining(1)).isEqualTo(1);
        assertThat(state.readyAt(1, 1)).isEqualTo(1);
        state.part(2).release(state.part(2).mark(), 2);
        assertThat(state.readyAt(1, 3)).isEqualTo(101);
        assertThat(state.readyAt(50, 3))
                .as("the log is free again, the window is not")
                .isEqualTo(101);
        assertThat(state.part(2)).isNotNull();
        assertThat(state.parts()).isEqualTo(3);
    }
}
