package dev.sluice.algorithm;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class StampedTest {
    private static final class Words extends Stamped {}

    private final Stamped words = new Words();

    @Test
    void aChangeHoldsAndMovesTheStampOn() {
        long first = words.stamp();
        assertThat(Stamped.isHeld(first)).isFalse();
        assertThat(words.hold(first)).isTrue();
        assertThat(Stamped.isHeld(words.stamp())).isTrue();
        assertThat(words.unchangedSince(first)).isFalse();
        assertThat(words.hold(first)).isFalse();
        assertThat(words.hold(words.stamp())).as("held already").isFalse();
        words.free(first);
        assertThat(words.stamp()).isGreaterThan(first);
        assertThat(Stamped.isHeld(words.stamp())).isFalse();
        assertThat(words.hold(first)).as("things have changed").isFalse();
        assertThat(words.unchangedSince(words.stamp())).isTrue();
    }

    @Test
    void whoWaitsIsMarkedUntilNobodyDoes() {
        long first = words.stamp();
        words.hold(first);
        words.freeAwaited(first);
        long awaited = words.stamp();
        assertThat(Stamped.isAwaited(awaited)).isTrue();
        assertThat(Stamped.isHeld(awaited)).isFalse();
        assertThat(awaited).isGreaterThan(first + 3);
        words.hold(awaited);
        words.free(awaited);
        assertThat(Stamped.isAwaited(words.stamp()))
                .as("a change leaves the mark")
                .isTrue();
        long last = words.stamp();
        words.hold(last);
        words.freeUnawaited(last);
        assertThat(Stamped.isAwaited(words.stamp())).isFalse();
        assertThat(words.stamp()).isGreaterThan(awaited);
    }

    @Test
    void whatIsDroppedStaysSo() {
        long first = words.stamp();
        words.hold(first);
        assertThat(words.drop(words.stamp())).as("held").isFalse();
        words.free(first);
        assertThat(words.drop(first)).as("changed").isFalse();
        assertThat(Stamped.isGone(words.stamp())).isFalse();
        assertThat(words.drop(words.stamp())).isTrue();
        assertThat(Stamped.isGone(words.stamp())).isTrue();
        assertThat(Stamped.isHeld(words.stamp())).isTrue();
        assertThat(words.hold(words.stamp())).isFalse();
    }
}
