package dev.sluice.algorithm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNoException;

import org.junit.jupiter.api.Test;

/** The edges of a pacer's arithmetic; how it behaves is in PacerTest. */
class PaceTest {
    private static final long ANY = Long.MAX_VALUE;

    private static Pace pace(long permitsPerSecond, long warmUpMicros) {
        return new Pace(Rate.of(permitsPerSecond, 1_000_000, 1), warmUpMicros, 0);
    }

    @Test
    void justOneSecondIsSaved() {
        Pace pace = pace(10, 0);
        assertThat(pace.reserve(5_000_000, 11, ANY)).isZero();
        assertThat(pace.reserve(5_000_000, 1, ANY)).as("ten were saved").isEqualTo(100_000);
    }

    @Test
    void aRateThatIsNoWholeNumberOfMicroseconds() {
        Pace pace = pace(3, 0);
        assertThat(pace.reserve(60_000_000, 4, ANY)).isZero();
        assertThat(pace.reserve(60_000_000, 1, ANY)).as("three were saved").isEqualTo(333_334);
        assertThat(pace.reserve(60_500_000, 1, ANY)).isEqualTo(166_667);
        Pace cold = pace(3, 1_000_000);
        assertThat(cold.reserve(0, 3, ANY)).isZero();
        assertThat(cold.reserve(0, 3, ANY)).as("one second's worth, cold").isEqualTo(1_500_000);
        assertThat(cold.reserve(0, 3, ANY)).as("and one warm").isEqualTo(2_500_000);
        assertThat(cold.reserve(3_700_000, 3, ANY)).as("idle for 0.2 s").isZero();
    }

    @Test
    void aWarmUpSavesNothing() {
        Pace pace = pace(10, 1_000_000);
        assertThat(pace.reserve(60_000_000, 10, ANY)).isZero();
        assertThat(pace.reserve(60_000_000, 1, ANY))
                .as("one second's worth, cold")
                .isEqualTo(1_500_000);
    }

    @Test
    void fromColdToWarmInTheWarmUp() {
        Pace pace =
                pace(10, 2_000_000); // 20 permits of coldness: the first ten take the warm-up, the others one second
        assertThat(pace.reserve(0, 10, ANY)).isZero();
        assertThat(pace.reserve(0, 10, ANY)).isEqualTo(2_000_000);
        assertThat(pace.reserve(0, 10, ANY)).isEqualTo(3_000_000);
        assertThat(pace.reserve(0, 1, ANY)).as("warm now").isEqualTo(4_000_000);
        assertThat(pace.reserve(4_100_000 + 500_000, 5, ANY))
                .as("half a second idle")
                .isZero();
        assertThat(pace.reserve(4_600_000, 1, ANY)).as("not yet cold").isEqualTo(500_000);
    }

    @Test
    void aWaitThatIsRefusedTakesNothing() {
        Pace pace = pace(10, 0);
        pace.reserve(0, 10, ANY);
        assertThat(pace.reserve(0, 10, 999_999)).isEqualTo(1_000_000);
        assertThat(pace.reserve(0, 1, 1_000_000)).isEqualTo(1_000_000);
        assertThat(pace.reserve(0, 1, ANY)).isEqualTo(1_100_000);
    }

    @Test
    void theWarmUpHasBounds() {
        long longest = (1L << 53) / 3;
        assertThatNoException().isThrownBy(() -> pace(3_000_000, longest));
        assertThatNoException().isThrownBy(() -> pace(3_000_000, 0));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> pace(3_000_000, longest + 1))
                .withMessageContaining(String.valueOf(longest));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> pace(3_000_000, -1))
                .withMessageContaining("-1");
    }

    @Test
    void whatWouldTakeForEverIsRefused() {
        Pace pace = pace(1, 0); // a permit weighs 1,000,000 units
        long most = (1L << 60) / 1_000_000;
        assertThatIllegalArgumentException()
                .isThrownBy(() -> pace.reserve(0, most + 1, ANY))
                .withMessageContaining(String.valueOf(most + 1))
                .withMessageContaining(most + 1 + " seconds");
        assertThat(pace.reserve(0, most, ANY)).isZero();
        assertThatIllegalArgumentException().isThrownBy(() -> pace.reserve(0, 1, ANY));
    }
}
