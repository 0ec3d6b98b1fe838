package dev.sluice.simulate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.simulate.Traffic.Shape;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class TrafficTest {
    private static final long SECOND = 1_000_000;

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "DRAWN")
    void isInOrderWithinItsDurationAndRepeatable(Shape shape) {
        for (long seed = 0; seed < 50; seed++) {
            Traffic traffic = Traffic.of(shape, 37 * SECOND, 7 * SECOND, 13, seed);
            assertThat(traffic.arrivalsMicros()).isSorted().isNotEmpty();
            assertThat(Arrays.stream(traffic.arrivalsMicros())).allMatch(at -> at >= 0 && at < 37 * SECOND);
            assertThat(Traffic.of(shape, 37 * SECOND, 7 * SECOND, 13, seed).arrivalsMicros())
                    .isEqualTo(traffic.arrivalsMicros());
        }
    }

    /** Forty seconds at 20 in 10 seconds; where the number depends on the seed it may be one off. */
    @ParameterizedTest
    @CsvSource({"STEADY,80", "BURST,60", "BOUNDARY,41", "FLASH_SALE,130", "ON_OFF,80"})
    void comesAtItsRate(Shape shape, int count) {
        for (long seed = 0; seed < 50; seed++) {
            int off = shape == Shape.BOUNDARY ? 0 : 3;
            assertThat(Traffic.of(shape, 40 * SECOND, 10 * SECOND, 20, seed).arrivalsMicros().length)
                    .isBetween(count - off, count + off);
        }
    }

    @Test
    void theBoundaryAttackIsTwoBurstsAroundAnEdgeAndAnOpener() {
        long[] arrivals =
                Traffic.of(Shape.BOUNDARY, 40 * SECOND, 10 * SECOND, 4, 1).arrivalsMicros();
        assertThat(arrivals)
                .containsExactly(
                        9_800_000,
                        9_850_000,
                        10_100_000,
                        10_150_000, // around 10
                        19_950_000, // opens a window that ends at 29.95
                        29_800_000,
                        29_850_000,
                        30_100_000,
                        30_150_000);
    }

    @Test
    void aDrawingIsSpreadEvenlyOverItsParts() {
        assertThat(Traffic.drawn(List.of(0L, 2L, 1L, 0L), 40 * SECOND).arrivalsMicros())
                .containsExactly(10 * SECOND, 15 * SECOND, 20 * SECOND);
        assertThat(Traffic.drawn(List.of(0L), 40 * SECOND).arrivalsMicros()).isEmpty();
    }

    @Test
    void onOffIsSilentEverySecondPeriod() {
        assertThat(Arrays.stream(Traffic.of(Shape.ON_OFF, 40 * SECOND, 10 * SECOND, 20, 1)
                        .arrivalsMicros()))
                .allMatch(at -> at / (10 * SECOND) % 2 == 0);
    }

    @Test
    void tooManyAreRefused() {
        assertThatThrownBy(() -> Traffic.of(Shape.STEADY, 40 * SECOND, 10 * SECOND, 1_000_000, 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("this would be 4000000 requests, and at most 50000 are simulated; with permits and a rate"
                        + " that are 80 times lower the picture is the same, or choose a duration that is 80 times"
                        + " shorter");
        assertThatThrownBy(() -> Traffic.of(Shape.STEADY, 400 * SECOND, 10 * SECOND, 1_000_000, 1))
                .hasMessageStartingWith("this would be more than 5000000 requests");
    }
}
