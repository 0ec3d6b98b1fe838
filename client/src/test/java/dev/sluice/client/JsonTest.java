package dev.sluice.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonTest {
    private static final String SPECIAL = "{}[]\",:\\0-9entru\u0000王";

    @Test
    void everyKindOfValueIsRead() throws Json.Malformed {
        assertThat(Json.read(" {\"a\" : [1, -20,\t1.5, 1e3], \"b\":{\"c\":true},\"d\":\"x\"}\r\n "))
                .isEqualTo(Map.of("a", List.of(1L, -20L, 1.5, 1000.0), "b", Map.of("c", true), "d", "x"));
        assertThat(Json.read("null")).isNull();
        assertThat(Json.read("[]")).isEqualTo(List.of());
        assertThat(Json.read("{}")).isEqualTo(Map.of());
        assertThat(Json.read("9223372036854775808")).isEqualTo(0x1p63);
        assertThat(Json.read("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u738b\\uD83D\\ude00王\""))
                .isEqualTo("\"\\/\b\f\n\r\t王\ud83d\ude00王");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "{",
                "[",
                "\"",
                "tru",
                "nul",
                "01",
                "1.",
                ".5",
                "+1",
                "-",
                "1e",
                "--1",
                "0x1",
                "NaN",
                "Infinity",
                "[1,]",
                "[,1]",
                "{\"a\"}",
                "{\"a\":}",
                "{a:1}",
                "{\"a\":1,}",
                "{\"a\":1 \"b\":2}",
                "[1 2]",
                "1 2",
                "{}{}",
                "\"\n\"",
                "\"\\x\"",
                "\"\\u12g4\"",
                "\"\\u12",
                "\"\\",
                "'a'",
                "{\"a\":1,\"a\":2}",
                "<html>",
                "\ufeff{}",
                "1111111111111111111111111111111111111111111111111111111111111",
            })
    void whateverIsNotJsonIsRefused(String text) {
        assertThatThrownBy(() -> Json.read(text)).isInstanceOf(Json.Malformed.class);
    }

    @Test
    void aMessageSaysWhereAndWhat() {
        assertThatThrownBy(() -> Json.read("<html>\n<body>Bad Gateway"))
                .hasMessage("expected a value at 0, was '<html>?<body>Bad Gat'");
        assertThatThrownBy(() -> Json.read("{\"allowed\":tru")).hasMessage("expected a value at 11, was 'tru'");
        assertThatThrownBy(() -> Json.read("[1")).hasMessage("expected ',' or ']' at 2, was the end");
    }

    @Test
    void deepNestingDoesNotOverflowTheStack() {
        assertThatThrownBy(() -> Json.read("[".repeat(1_000_000))).hasMessage("nested more than 16 deep");
        assertThatThrownBy(() -> Json.read("{\"a\":".repeat(1_000_000))).hasMessage("nested more than 16 deep");
    }

    @Test
    void aReplyThatWasChangedOnItsWayIsReadOrRefusedAndNothingElse() {
        Random random = new Random(1);
        for (int i = 0; i < 20_000; i++) {
            StringBuilder text = new StringBuilder(random.nextBoolean() ? FakeServer.ALLOWED : FakeServer.DENIED);
            for (int changes = random.nextInt(4); changes >= 0; changes--) {
                int at = random.nextInt(text.length());
                switch (random.nextInt(3)) {
                    case 0 -> text.setCharAt(at, SPECIAL.charAt(random.nextInt(SPECIAL.length())));
                    case 1 -> text.setLength(Math.max(1, at));
                    default -> text.insert(at, text.substring(at));
                }
            }
            for (int status : new int[] {200, 429, 500}) {
                try {
                    CheckResult result = CheckReader.one(new Reply(status, text.toString()));
                    assertThat(result.allowed()).isEqualTo(status == 200);
                } catch (CheckReader.NoDecision e) {
                    assertThat(e.getMessage()).isNotBlank();
                }
            }
        }
    }

    @Test
    void whatIsWrittenIsRead() throws Json.Malformed {
        Random random = new Random(2);
        for (int i = 0; i < 2_000; i++) {
            StringBuilder text = new StringBuilder();
            for (int j = random.nextInt(10); j > 0; j--) {
                text.append((char) random.nextInt(random.nextBoolean() ? 128 : 65536));
            }
            StringBuilder json = new StringBuilder();
            Json.write(json, text.toString());
            assertThat(Json.read(json.toString())).isEqualTo(text.toString());
        }
    }
}
