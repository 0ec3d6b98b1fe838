package dev.sluice.algorithm;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What is held of counters that keys have shared counts for their successors until it is released there. */
class ConcurrencyTest {
    private final State first = new Concurrency(20).fresh();

    @Test
    void aSuccessorOwesWhatIsHeldOfItsPredecessor() {
        first.take(0, 3);
        State retired = first.retired();
        State successor = retired.successor();
        assertThat(successor.used(0)).isEqualTo(3);
        assertThat(successor.freshAt(0)).isEqualTo(State.NEVER);
        assertThat(successor.droppableAt(0)).isEqualTo(State.ANCIENT);
        successor.take(0, 2);
        assertThat(successor.used(0)).isEqualTo(5);
        assertThat(successor.droppableAt(0)).isEqualTo(State.NEVER);
        assertThat(successor.admits(0, 15)).isTrue();
        assertThat(successor.admits(0, 16)).isFalse();
        retired.release(first.mark(), 1);
        assertThat(successor.used(0)).isEqualTo(4);
        assertThat(successor.copy().used(0)).isEqualTo(4);
        retired.release(first.mark(), 2);
        successor.take(0, 1);
        assertThat(successor.used(0)).isEqualTo(3);
    }

    @Test
    void loansAreAChain() {
        first.take(0, 3);
        State firstRetired = first.retired();
        State second = firstRetired.successor();
        second.take(0, 2);
        State secondRetired = second.retired();
        State third = secondRetired.successor();
        third.take(0, 1);
        State thirdRetired = third.retired();
        State fourth = thirdRetired.successor();
        assertThat(fourth.used(0)).isEqualTo(6);
        secondRetired.release(second.mark(), 2);
        assertThat(fourth.used(0)).as("the one in the middle has ended").isEqualTo(4);
        thirdRetired.release(third.mark(), 1);
        assertThat(fourth.used(0)).isEqualTo(3);
        assertThat(thirdRetired.successor().used(0)).isEqualTo(3);
        firstRetired.release(first.mark(), 3);
        assertThat(fourth.used(0)).isZero();
        assertThat(fourth.freshAt(0)).isEqualTo(State.ANCIENT);
        assertThat(thirdRetired.successor().used(0)).isZero();
    }

    @Test
    void permitsMayComeBackAtAnyTime() {
        first.take(0, 20);
        assertThat(first.readyAt(7, 1)).isEqualTo(State.NEVER);
        assertThat(first.soonestAt(50, 7, 10)).isEqualTo(7);
        assertThat(first.soonestAt(50, 7, 11)).isEqualTo(State.NEVER);
        assertThat(first.successor().used(0)).as("nothing was lent").isZero();
        assertThat(first.bytes()).isEqualTo(HeapSize.object(3, 20));
        assertThat(first.freshAt(7)).isEqualTo(State.NEVER);
        first.release(first.mark(), 20);
        assertThat(first.freshAt(7)).isEqualTo(State.ANCIENT);
        assertThat(first.droppableAt(7)).isEqualTo(State.ANCIENT);
    }
}
