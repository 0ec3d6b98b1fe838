package dev.sluice.algorithm;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SequenceLockTest {
    private static final class Words extends SequenceLock {}

    private final SequenceLock words = new Words();

    @Test
    void aChangeLocksAndMovesTheStampOn() {
        long first = words.stamp();
        assertThat(SequenceLock.isLocked(first)).isFalse();
        assertThat(words.tryLock(first)).isTrue();
        assertThat(SequenceLock.isLocked(words.stamp())).isTrue();
        assertThat(words.unchangedSince(first)).isFalse();
        assertThat(words.tryLock(first)).isFalse();
        assertThat(words.tryLock(words.stamp())).as("locked already").isFalse();
        words.unlock(first);
        assertThat(words.stamp()).isGreaterThan(first);
        assertThat(SequenceLock.isLocked(words.stamp())).isFalse();
        assertThat(words.tryLock(first)).as("things have changed").isFalse();
        assertThat(words.unchangedSince(words.stamp())).isTrue();
    }

    @Test
    void whoWaitsIsMarkedUntilNobodyDoes() {
        long first = words.stamp();
        words.tryLock(first);
        words.unlockAwaited(first);
        long awaited = words.stamp();
        assertThat(SequenceLock.isAwaited(awaited)).isTrue();
        assertThat(SequenceLock.isLocked(awaited)).isFalse();
        assertThat(awaited).isGreaterThan(first + 3);
        words.tryLock(awaited);
        words.unlock(awaited);
        assertThat(SequenceLock.isAwaited(words.stamp()))
                .as("a change leaves the mark")
                .isTrue();
        long last = words.stamp();
        words.tryLock(last);
        words.unlockUnawaited(last);
        assertThat(SequenceLock.isAwaited(words.stamp())).isFalse();
        assertThat(words.stamp()).isGreaterThan(awaited);
    }

    @Test
    void whatIsDroppedStaysSo() {
        long first = words.stamp();
        words.tryLock(first);
        assertThat(words.drop(words.stamp())).as("locked").isFalse();
        words.unlock(first);
        assertThat(words.drop(first)).as("changed").isFalse();
        assertThat(SequenceLock.isDropped(words.stamp())).isFalse();
        assertThat(words.drop(words.stamp())).isTrue();
        assertThat(SequenceLock.isDropped(words.stamp())).isTrue();
        assertThat(SequenceLock.isLocked(words.stamp())).isTrue();
        assertThat(words.tryLock(words.stamp())).isFalse();
    }
}
