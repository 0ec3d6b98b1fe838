package dev.sluice.algorithm;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What a bucket of 20 permits of 50 units, which regains a unit each microsecond, notes about refunds. */
class TokenBucketTest {
    private final State state = new TokenBucket(Rate.of(20, 1000, 20), Lineage.FIRST).fresh();

    @Test
    void theLastChargeIsUndoneWithoutATrace() {
        state.take(100, 5);
        assertThat(state.mark()).isEqualTo(250);
        state.refund(150, 100, 250, 5, 5);
        assertThat(state.mark()).as("time has given back the rest").isEqualTo(50);
        assertThat(state.freshAt(150)).isEqualTo(150);
    }

    @Test
    void aResetIsNotUndoneByARefundOfWhatWasPartlyRefunded() {
        state.take(0, 5);
        long mark = state.mark();
        state.refund(0, 0, mark, 5, 2);
        assertThat(state.used(0)).isEqualTo(3);
        State cleared = state.cleared();
        cleared.take(0, 4);
        cleared.refund(0, 0, mark, 5, 3);
        assertThat(cleared.used(0)).isEqualTo(4);
        assertThat(cleared.bytes()).isEqualTo(HeapSize.object(1, 40));
    }
}
