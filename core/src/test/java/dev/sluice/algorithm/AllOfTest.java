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

    @Test
    void aPartThatDeniesDeniesForAll() {
        State state = both.fresh();
        long stamp = state.stamp();
        assertThat(state.take(stamp, 1, 2)).isTrue();
        assertThat(state.take(stamp, 1, 1)).as("locked").isFalse();
        state.unlock(stamp);
        assertThat(state.take(stamp, 1, 1)).as("changed").isFalse();
        assertThat(state.admits(1, 1)).isTrue();
        assertThat(state.admits(1, 2)).isFalse();
        assertThat(state.admits(100, 1, 1)).isTrue();
        assertThat(state.admits(100, 1, 2)).isFalse();
        assertThat(state.room(100)).isEqualTo(3);
        assertThat(state.room(50)).isEqualTo(1);
        assertThat(state.soonestAt(100, 1, 1)).isEqualTo(1);
        assertThat(state.soonestAt(100, 1, 3)).isEqualTo(101);
        assertThat(state.freshAt(1)).isEqualTo(State.NEVER);
        assertThat(state.droppableAt(1)).isEqualTo(State.NEVER);
        state.part(2).release(state.part(2).mark(), 2);
        assertThat(state.freshAt(1)).isEqualTo(101);
        assertThat(state.droppableAt(1)).isEqualTo(101);
    }

    @Test
    void whatIsMadeOfItIsMadeOfAllParts() {
        State state = both.fresh();
        assertThat(state.bytes())
                .isEqualTo(HeapSize.object(2, 8)
                        + HeapSize.references(3)
                        + state.part(0).bytes()
                        + state.part(1).bytes()
                        + state.part(2).bytes());
        state.take(1, 2);
        for (State same : List.of(state.copy(), state.retired(), state.retired().successor())) {
            for (int i = 0; i < 3; i++) {
                assertThat(same.part(i).used(1)).isEqualTo(2);
            }
        }
        State cleared = state.cleared();
        for (int i = 0; i < 3; i++) {
            assertThat(cleared.part(i).used(1)).isZero();
        }
    }

    @Test
    void workStartsWhenTheLastPartLetsIt() {
        Algorithm queue = LeakyBucket.queue(Rate.of(10, 1000, 10), Lineage.FIRST);
        State state = new AllOf(List.of(new SlidingLog(5, 10), queue, new SlidingLog(5, 10))).fresh();
        assertThat(state.departsAt(7)).isEqualTo(7);
        state.take(7, 1);
        assertThat(state.departsAt(7)).isEqualTo(107);
    }
}
