package dev.sluice.simulate.log.format;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

class ByteSearchTest {
    @Test
    void findsWhatALoopFinds() {
        Random random = new Random(1);
        for (int i = 0; i < 20_000; i++) {
            byte[] bytes = new byte[random.nextInt(40)];
            int letters = 1 + random.nextInt(255);
            for (int at = 0; at < bytes.length; at++) {
                bytes[at] = (byte) (random.nextInt(letters) - 1);
            }
            int to = random.nextInt(bytes.length + 1);
            int from = random.nextInt(to + 1);
            byte one = (byte) (random.nextInt(letters) - 1);
            byte other = (byte) (random.nextInt(letters) - 1);
            assertThat(ByteSearch.indexOf(one, bytes, from, to)).isEqualTo(first(one, one, bytes, from, to));
            assertThat(ByteSearch.indexOfEither(one, other, bytes, from, to))
                    .isEqualTo(first(one, other, bytes, from, to));
        }
    }

    private static int first(byte one, byte other, byte[] bytes, int from, int to) {
        for (int at = from; at < to; at++) {
            if (bytes[at] == one || bytes[at] == other) {
                return at;
            }
        }
        return to;
    }
}
