package dev.sluice.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class CheckTest {
    private static void refuses(ThrowingCallable call, String message) {
        assertThatThrownBy(call).isInstanceOf(IllegalArgumentException.class).hasMessage(message);
    }

    private static String json(Check check) {
        StringBuilder json = new StringBuilder();
        check.write(json);
        return json.toString();
    }

    @Test
    void aCheckIsWrittenAsTheServerReadsIt() {
        assertThat(json(Check.of("IP", "203.0.113.9")))
                .isEqualTo("{\"attributes\":{\"ip\":\"203.0.113.9\"},\"cost\":1}");
        assertThat(json(Check.of("user", "a").with("path", "/b").cost(0).lease(Duration.ofSeconds(30))))
                .isEqualTo("{\"attributes\":{\"user\":\"a\",\"path\":\"/b\"},\"cost\":0,\"leaseMs\":30000}");
        assertThat(Check.list(List.of(Check.of("a", "1"), Check.of("b", "2").cost(3))))
                .isEqualTo("[{\"attributes\":{\"a\":\"1\"},\"cost\":1},{\"attributes\":{\"b\":\"2\"},\"cost\":3}]");
    }

    @Test
    void whateverIsInAValueStaysInIt() {
        assertThat(json(Check.of("q", "\"},\\\n\u0000王\ud83d\ude00")))
                .isEqualTo("{\"attributes\":{\"q\":\"\\\"},\\\\\\u000a\\u0000王\ud83d\ude00\"},\"cost\":1}");
        assertThat(json(Check.of("q", "\ud83d"))).contains("\"\\ud83d\"");
        assertThat(json(Check.of("q", "\ude00\ud83d"))).contains("\"\\ude00\\ud83d\"");
    }

    @Test
    void aCheckDoesNotChange() {
        Check login = Check.of("path", "/login");
        assertThat(login.with("ip", "::1")).isNotSameAs(login);
        assertThat(login.attributes()).hasSize(1);
        assertThatThrownBy(() -> login.attributes().put("a", "b")).isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    void mistakesAreNamed() {
        refuses(() -> Check.of("", "x"), "the name of an attribute has 1 to 128 characters, was ''");
        refuses(
                () -> Check.of("n".repeat(129), "x"),
                "the name of an attribute has 1 to 128 characters, was '" + "n".repeat(60) + "…'");
        refuses(() -> Check.of("ip", "1").with("IP", "2"), "attribute 'ip' was given twice: '1' and '2'");
        refuses(() -> Check.of("a", "b").cost(-1), "cost must be from 0 to 9007199254740992, was -1");
        refuses(() -> Check.of("a", "b").lease(Duration.ZERO), "lease must be from PT0.001S to PT24H, was PT0S");
        refuses(() -> Check.of("a", "b").lease(Duration.ofDays(2)), "lease must be from PT0.001S to PT24H, was PT48H");
        refuses(
                () -> Check.of("a", "b").waitUpTo(Duration.ofMillis(-1)),
                "waitUpTo must be from PT0S to PT24H, was PT-0.001S");
        Check full = Check.of("a0", "");
        for (int i = 1; i < 64; i++) {
            full = full.with("a" + i, "");
        }
        Check most = full;
        refuses(() -> most.with("b", ""), "a check has at most 64 attributes, 'b' is one more");
        refuses(() -> most.with("a1", "2"), "attribute 'a1' was given twice: '' and '2'");
    }

    @Test
    @SuppressWarnings("NullAway") // what code without checks for null does
    void nullIsNamed() {
        String nothing = null;
        assertThatThrownBy(() -> Check.of("ip", nothing)).hasMessage("attribute 'ip' is null");
        assertThatThrownBy(() -> Check.of(nothing, "a")).hasMessage("the name of an attribute is null");
    }
}
