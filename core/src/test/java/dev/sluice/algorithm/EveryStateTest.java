package dev.sluice.algorithm;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What holds for the state of every single limit: its lock, its copies, and what is refunded after a reset. */
class EveryStateTest {
    static Stream<Algorithm> algorithms() {
        Rate rate = Rate.of(20, 1000, 20);
        return Stream.of(
                new SlidingLog(20, 1000),
                new SlidingWindow(20, 100, 10, false, Lineage.FIRST),
                new SlidingWindow(20, 100, 10, true, Lineage.FIRST),
                new FixedWindow(20, WindowSchedule.fromFirstRequest(1000)),
                new TokenBucket(rate, Lineage.FIRST),
                LeakyBucket.meter(rate, Lineage.FIRST),
                LeakyBucket.queue(rate, Lineage.FIRST),
                new Concurrency(20));
    }

    @ParameterizedTest
    @MethodSource("algorithms")
    void aChargeByAnOldStampIsNone(Algorithm algorithm) {
        State state = algorithm.fresh();
        long old = state.stamp();
        assertThat(state.take(old, 5, 3)).isTrue();
        assertThat(state.take(old, 5, 3)).as("locked").isFalse();
        state.unlock(old);
        assertThat(state.take(old, 5, 3)).as("changed").isFalse();
        assertThat(state.used(5)).isEqualTo(3);
        assertThat(SequenceLock.isLocked(state.stamp())).isFalse();
    }

    @ParameterizedTest
    @MethodSource("algorithms")
    void aCopyIsTheSameAndIndependent(Algorithm algorithm) {
        State state = algorithm.fresh();
        state.take(5, 3);
        state.take(25, 4);
        State copy = state.copy();
        assertSame(copy, state);
        copy.take(25, 2);
        assertThat(copy.used(25)).isEqualTo(state.used(25) + 2);
        assertThat(copy.algorithm()).isSameAs(algorithm);
    }

    @ParameterizedTest
    @MethodSource("algorithms")
    void afterAResetOnlyWhatWasChargedSinceIsRefunded(Algorithm algorithm) {
        State first = algorithm.fresh();
        first.take(5, 3);
        long old = first.mark();
        State state = first.cleared();
        assertThat(state.used(5)).isZero();
        state.take(5, 4);
        long mark = state.mark();
        for (State one : new State[] {state.copy(), state.retired(), state}) {
            one.refund(5, 5, old, 3, 3);
            assertThat(one.used(5)).isEqualTo(4);
            one.refund(5, 5, mark, 4, 4);
            assertThat(one.used(5)).isZero();
        }
    }

    private static void assertSame(State copy, State state) {
        assertThat(copy.bytes()).isEqualTo(state.bytes());
        assertThat(copy.latest()).isEqualTo(state.latest());
        assertThat(copy.mark()).isEqualTo(state.mark());
        for (long now = 0; now < 1200; now += 25) {
            assertThat(copy.used(now)).isEqualTo(state.used(now));
            assertThat(copy.remaining(now)).isEqualTo(state.remaining(now));
            assertThat(copy.freshAt(now)).isEqualTo(state.freshAt(now));
            assertThat(copy.droppableAt(now)).isEqualTo(state.droppableAt(now));
            assertThat(copy.readyAt(now, 20)).isEqualTo(state.readyAt(now, 20));
            assertThat(copy.departsAt(now)).isEqualTo(state.departsAt(now));
        }
    }
}
