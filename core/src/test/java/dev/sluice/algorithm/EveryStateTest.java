package dev.sluice.algorithm;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
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
        for (State one : List.of(state.copy(), state.retired(), algorithm.migrate(state, 5), state)) {
            one.refund(5, 5, old, 3, 3);
            assertThat(one.used(5)).isEqualTo(4);
            one.refund(5, 5, mark, 4, 4);
            assertThat(one.used(5)).isZero();
        }
    }

    @ParameterizedTest
    @MethodSource("algorithms")
    void aShareHasARoomOfItsOwn(Algorithm algorithm) {
        State state = algorithm.fresh();
        assertThat(state.departsAt(7)).isEqualTo(7);
        assertThat(state.fits(50, 10)).isTrue();
        assertThat(state.fits(50, 11)).isFalse();
        assertThat(state.admits(50, 7, 10)).isTrue();
        assertThat(state.admits(50, 7, 11)).isFalse();
        assertThat(state.readyAt(50, 7, 10)).isEqualTo(7);
        assertThat(state.readyAt(50, 7, 11)).isEqualTo(State.NEVER);
        assertThat(state.soonestAt(50, 7, 10)).isEqualTo(7);
        assertThat(state.remaining(50, 7)).isEqualTo(10);
        state.take(7, 4);
        assertThat(state.remaining(50, 7)).isEqualTo(6);
        assertThat(state.admits(50, 7, 6)).isTrue();
        assertThat(state.admits(50, 7, 7)).isFalse();
        assertThat(state.readyAt(50, 7, 6)).isEqualTo(7);
        assertThat(state.readyAt(50, 7, 7)).isGreaterThan(7);
        assertThat(state.migrateTo(algorithm, 7).used(7)).isEqualTo(4);
        assertThat(state.successor().algorithm()).isSameAs(algorithm);
    }

    @ParameterizedTest
    @MethodSource("algorithms")
    void aClockBehindTheLastChargeDelaysNothingThatFits(Algorithm algorithm) {
        State state = algorithm.fresh();
        state.take(700, 10);
        assertThat(state.admits(650, 10)).isTrue();
        assertThat(state.readyAt(650, 10)).isEqualTo(650);
        assertThat(state.admits(650, 11)).isFalse();
        assertThat(state.readyAt(650, 11)).isGreaterThan(700);
        assertThat(state.latest()).isEqualTo(algorithm instanceof Concurrency ? State.ANCIENT : 700);
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
