package dev.sluice.server.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class SlotTest {
    private final Random random = new Random(16);

    @Test
    void aSlotSaysWhatWasPutIntoIt() {
        for (int i = 0; i < 500; i++) {
            Map<Integer, long[]> counts = counts();
            Slot slot = Slot.of(counts);
            assertThat(texts(Slot.parse(slot.bytes()))).isEqualTo(texts(counts));
            for (int row = 0; row < 50; row++) {
                long[] expected = counts.getOrDefault(row, new long[0]);
                for (int column = 0; column < 10; column++) {
                    assertThat(History.at(slot.row(row), column)).isEqualTo(History.at(expected, column));
                }
            }
        }
    }

    @Test
    void aSumIsTheSumOfEachCount() {
        for (int i = 0; i < 500; i++) {
            Map<Integer, long[]> one = counts();
            Map<Integer, long[]> other = counts();
            Map<Integer, long[]> sum = new HashMap<>(one);
            other.forEach((row, values) -> sum.merge(row, values, Slot::sum));
            assertThat(texts(Slot.of(one).plus(Slot.of(other)))).isEqualTo(texts(sum));
        }
    }

    @Test
    void whatDidNotHappenTakesNoMemory() {
        assertThat(Slot.of(Map.of(3, new long[] {0, 0}, 9, new long[0])).size()).isZero();
    }

    /** Redis may hold anything: it is refused, and nothing runs for long or takes much memory. */
    @Test
    void bytesOfAnyKindAreReadOrRefused() {
        for (int i = 0; i < 20_000; i++) {
            byte[] bytes = new byte[random.nextInt(40)];
            random.nextBytes(bytes);
            try {
                texts(Slot.parse(bytes).plus(Slot.parse(bytes)));
            } catch (IllegalArgumentException refused) {
                assertThat(refused).hasMessageStartingWith("not a slot");
            }
        }
        assertThatIllegalArgumentException().isThrownBy(() -> Slot.parse(new byte[] {1}));
    }

    private Map<Integer, long[]> counts() {
        Map<Integer, long[]> counts = new HashMap<>();
        for (int i = random.nextInt(6); i > 0; i--) {
            long[] values = new long[1 + random.nextInt(10)];
            for (int j = 0; j < values.length; j++) {
                values[j] = random.nextBoolean() ? 0 : random.nextLong() >>> (1 + random.nextInt(62));
            }
            counts.put(random.nextInt(50), values);
        }
        return counts;
    }

    private static Map<Integer, String> texts(Slot slot) {
        Map<Integer, long[]> counts = new HashMap<>();
        slot.forEach((values, row) -> counts.put(row, values));
        return texts(counts);
    }

    private static Map<Integer, String> texts(Map<Integer, long[]> counts) {
        Map<Integer, String> texts = new TreeMap<>();
        counts.forEach((row, values) -> {
            int length = values.length;
            while (length > 0 && values[length - 1] == 0) {
                length--;
            }
            if (length > 0) {
                texts.put(row, Arrays.toString(Arrays.copyOf(values, length)));
            }
        });
        return texts;
    }
}
