package dev.sluice.server.web;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ByteBuilderTest {
    private final ByteBuilder bytes = new ByteBuilder();

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 9, 10, 99, 100, 12345, 999_999_999_999L, 1L << 53, Long.MAX_VALUE})
    void numbers(long value) {
        assertThat(bytes.number(value)).hasToString(Long.toString(value));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "plain", "a\"b\\c", "tab\tline\n", "\u0000\u001f\u007f", "größe", "漢字", "😀!", "mixed é😀\""
            })
    void everyTextComesBackFromItsJson(String text) throws Exception {
        assertThat(read(text)).isEqualTo(text);
    }

    @Test
    void randomTextsComeBackFromTheirJson() throws Exception {
        Random random = new Random(7);
        for (int i = 0; i < 2000; i++) {
            StringBuilder text = new StringBuilder();
            for (int j = random.nextInt(40); j > 0; j--) {
                int point = random.nextInt(random.nextBoolean() ? 0x80 : Character.MAX_CODE_POINT + 1);
                text.appendCodePoint(point);
            }
            assertThat(read(text.toString())).isEqualTo(text.toString());
        }
    }

    @Test
    void itGrowsAndBeginsAnew() {
        for (int i = 0; i < 100_000; i++) {
            bytes.ascii("0123456789");
        }
        assertThat(bytes.length()).isEqualTo(1_000_000);
        assertThat(bytes.body().length()).isEqualTo(1_000_000);
        assertThat(bytes.clear().ascii("x").field().toString()).isEqualTo("x");
    }

    private String read(String text) throws Exception {
        byte[] json = bytes.clear().json(text).toString().getBytes(StandardCharsets.UTF_8);
        assertThat(bytes.body().getBytes()).isEqualTo(json);
        try (JsonParser parser = new JsonFactory().createParser(json)) {
            parser.nextToken();
            return parser.getText();
        }
    }

    @Test
    void anyNumberIsWrittenWhereverTheBufferEnds() {
        Random random = new Random(11);
        for (long power = 1; power > 0 && power <= 1_000_000_000_000_000_000L; power *= 10) {
            for (long value : new long[] {power - 1, power, power + 1, 2 * power - 1, 9 * power}) {
                if (value >= 0) {
                    assertThat(bytes.clear().number(value)).hasToString(Long.toString(value));
                }
            }
            if (power == 1_000_000_000_000_000_000L) {
                break;
            }
        }
        for (int i = 0; i < 100_000; i++) {
            long value = random.nextLong() >>> (1 + random.nextInt(63));
            String before = "x".repeat(random.nextInt(40) + (i % 50 == 0 ? 500 : 0));
            ByteBuilder used = i % 50 == 0 ? new ByteBuilder() : bytes.clear();
            assertThat(used.ascii(before).number(value).put('y').number(value))
                    .hasToString(before + value + "y" + value);
        }
        for (int value = 0; value < 10_000; value++) {
            assertThat(bytes.clear().number(value)).hasToString(Integer.toString(value));
        }
    }
}
