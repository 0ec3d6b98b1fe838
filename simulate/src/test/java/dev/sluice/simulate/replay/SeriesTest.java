package dev.sluice.simulate.replay;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SeriesTest {
    private static final long START = 1_794_787_214_000_000L; // 2026-11-16T00:00:14Z

    @ParameterizedTest
    @CsvSource({"60, 1", "3000, 5", "86400, 60", "604800, 300", "31536000, 86400", "630720000, 345600"})
    void slotsGrowWithTheLogAndLoseNothing(long durationSeconds, long widthSeconds) {
        Series series = new Series();
        Random random = new Random(1);
        long step = durationSeconds * 1_000_000 / 5000;
        for (int i = 0; i <= 5000; i++) {
            long at = START + i * step;
            series.request(at);
            if (random.nextInt(3) == 0) {
                series.stopped(at);
            }
        }
        assertThat(series.widthMicros()).isEqualTo(widthSeconds * 1_000_000);
        assertThat(series.startMicros() % series.widthMicros()).isZero();
        assertThat(series.startMicros() + series.slots() * series.widthMicros()).isGreaterThan(START + 5000 * step);
        assertThat(IntStream.range(0, series.slots())
                        .mapToLong(series::requests)
                        .sum())
                .isEqualTo(5001);
        assertThat(IntStream.range(0, series.slots()).mapToLong(series::stopped).sum())
                .isBetween(1500L, 1800L);
    }
}
