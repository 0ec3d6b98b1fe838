package dev.sluice.local;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.algorithm.State;
import org.junit.jupiter.api.Test;

/** The order of a wait queue. */
class WaitersTest {
    private final Waiters waiters = new Waiters();

    private Waiter add(int percent) {
        Waiter waiter = new Waiter("k", 1, percent, State.NEVER);
        waiters.add(waiter);
        return waiter;
    }

    @Test
    void everybodyIsInTheOrderOfArrivalWhateverTheShare() {
        Waiter first = add(50);
        Waiter second = add(100);
        Waiter third = add(20);
        Waiter fourth = add(100);
        assertThat(waiters.all()).containsExactly(first, second, third, fourth);
    }

    @Test
    void whoeverIsNotThereCannotBeRemoved() {
        Waiter there = add(50);
        Waiter gone = add(50);
        assertThat(waiters.remove(gone)).isTrue();
        assertThat(waiters.remove(gone)).isFalse();
        assertThat(waiters.remove(new Waiter("k", 1, 100, State.NEVER))).isFalse();
        assertThat(waiters.size()).isEqualTo(1);
        assertThat(waiters.all()).containsExactly(there);
    }
}
