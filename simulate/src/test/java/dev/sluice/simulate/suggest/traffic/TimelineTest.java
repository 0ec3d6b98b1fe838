package dev.sluice.simulate.suggest.traffic;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TimelineTest {
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void whatIsAddedIsRead(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        long[] steps = {0, 1, 999_999, 1_000_000, 60_000_000, 86_400_000_000L, 1_800_000_000_000_000L};
        Timeline timeline = new Timeline();
        Events expected = new Events();
        expected.reset();
        long micros = 0;
        for (int i = 0; i < 1000; i++) {
            micros += steps[random.nextInt(i < 3 ? steps.length : steps.length - 1)] + random.nextInt(2);
            int mark = random.nextInt(1 << 14);
            timeline.add(micros, mark);
            expected.add(micros, mark);
        }
        Events read = new Events();
        timeline.read(read);
        assertThat(read.count()).isEqualTo(1000);
        for (int i = 0; i < 1000; i++) {
            assertThat(read.time(i)).isEqualTo(expected.time(i));
            assertThat(read.mark(i)).isEqualTo(expected.mark(i));
        }
    }
}
