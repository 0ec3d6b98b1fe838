package dev.sluice.server.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AdminTokensTest {
    private static final String LONG_ENOUGH = "0123456789abcdef";

    @Test
    void namesThem() {
        AdminTokens tokens =
                AdminTokens.parse("# people\nalice:" + LONG_ENOUGH + "A\n\n  ci:" + LONG_ENOUGH + "B\n" + LONG_ENOUGH);
        assertThat(tokens.nameOf(LONG_ENOUGH + "A")).isEqualTo("alice");
        assertThat(tokens.nameOf(LONG_ENOUGH + "B")).isEqualTo("ci");
        assertThat(tokens.nameOf(LONG_ENOUGH)).isEqualTo("admin");
        assertThat(tokens.nameOf(LONG_ENOUGH + "C")).isNull();
        assertThat(tokens.nameOf("")).isNull();
    }

    @Test
    void nothingIsNoToken() {
        assertThat(AdminTokens.parse("\n# none yet\n").isEmpty()).isTrue();
        assertThat(AdminTokens.none().nameOf("")).isNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"secret", "bob:secret", "two words of some length", "a:b:0123456789abcdef", ":0123456789abcdef"})
    void refusesWithoutShowing(String line) {
        assertThatThrownBy(() -> AdminTokens.parse("\n" + line))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("admin token on line 2: ")
                .hasMessageNotContaining("secret")
                .hasMessageNotContaining("0123456789abcdef");
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "127.8.9.10", "localhost", "::1"})
    void loopbackNeedsNone(String host) {
        assertThatCode(() -> AdminAccess.requireSafe(host, AdminTokens.none())).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @ValueSource(strings = {"0.0.0.0", "::", "192.0.2.7", "no-such-host.invalid"})
    void elsewhereNeedsOne(String host) {
        assertThatThrownBy(() -> AdminAccess.requireSafe(host, AdminTokens.none()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "the admin port would listen on " + host
                                + ", where others can reach it, and has no token: set one with --admin-token-file, or listen on 127.0.0.1");
        assertThatCode(() -> AdminAccess.requireSafe(host, AdminTokens.parse(LONG_ENOUGH)))
                .doesNotThrowAnyException();
    }
}
