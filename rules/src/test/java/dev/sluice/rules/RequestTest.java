package dev.sluice.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.rules.match.Attributes;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RequestTest {
    @ParameterizedTest
    @CsvSource({
        "/login, /login",
        "/login?next=/a, /login",
        "/login#top, /login",
        "//login, /login",
        "/a/../login, /login",
        "/./login, /login",
        "/../login, /login",
        "/%6Cogin, /login",
        "/%6cogin, /login",
        "/a%2fb, /a/b",
        "/a;x=1/b;y, /a/b",
        "/a\\b, /a/b",
        "/caf%c3%a9, /caf\u00e9",
        "/caf%ff, /caf%FF",
        "/a/b/, /a/b/",
        "/a/b/.., /a/",
        "/a//b///c, /a/b/c",
        "/.well-known/x, /.well-known/x",
        "/%2e%2e/login, /login",
        "/a%, /a%",
        "/a%zz, /a%zz",
        "/, /",
        "//, /",
        "*, *",
        "/..., /..."
    })
    void aPathIsReduced(String written, String normal) {
        assertThat(Request.of(Map.of("path", written), 1).attribute("path")).isEqualTo(normal);
        assertThat(Attributes.normalized("path", normal)).isEqualTo(normal);
    }

    @ParameterizedTest
    @CsvSource({
        "203.0.113.9, 203.0.113.9",
        "203.0.113.9:4711, 203.0.113.9",
        "::ffff:203.0.113.9, 203.0.113.9",
        "[2001:DB8::1]:80, 2001:db8::1",
        "not an address, invalid",
        "a:b, invalid",
        "203.0.113.009, invalid"
    })
    void soHasAnAddress(String written, String normal) {
        assertThat(Request.of(Map.of("ip", written), 1).attribute("ip")).isEqualTo(normal);
    }

    @Test
    void namesAreInLowerCase() {
        Request request = Request.of(Map.of("Header.X-Key", "Abc"), 1);
        assertThat(request.attribute("header.x-key")).isEqualTo("Abc");
        assertThat(request.attribute("header.other")).isNull();
        assertThat(request).hasToString("Request{header.x-key=Abc}");
    }

    @Test
    void anAttributeIsGivenOnce() {
        Request.Builder builder = Request.builder().with("ip", "1.2.3.4");
        assertThatThrownBy(() -> builder.with("IP", "1.2.3.5"))
                .hasMessage("attribute 'ip' was given twice: '1.2.3.4' and '1.2.3.5'");
    }

    @Test
    void conditionsSeeALongValueInFull() {
        assertThat(value("a", "x".repeat(100_000) + "y")).hasSize(100_001);
        assertThat(value("path", "/" + "y".repeat(9000) + "/../login")).isEqualTo("/login");
        assertThat(value("path", "/api/" + "y".repeat(9000))).hasSize(9005);
    }

    private static String value(String name, String value) {
        return String.valueOf(Request.of(Map.of(name, value), 1).attribute(name));
    }

    /** A path that takes too long to read in every form is as unreadable as one with too many forms. */
    @Test
    void aPathThatIsMuchTooLongIsNotRead() {
        Request request = Request.of(Map.of("path", "/%41" + "y".repeat(1 << 20)), 1);
        assertThat(request.isPathReadable()).isFalse();
    }

    @Test
    void everythingIsBounded() {
        assertThatThrownBy(() -> Request.of(Map.of(), -1)).hasMessage("cost must be 0 or more, was -1");
        assertThatThrownBy(() -> Request.of(Map.of("", "x"), 1)).hasMessageContaining("1 to 128 characters, was ''");
        Request.Builder builder = Request.builder();
        for (int i = 0; i < 64; i++) {
            builder.with("a" + i, "x");
        }
        assertThat(builder.build().attributes()).hasSize(64);
        assertThatThrownBy(() -> builder.with("b", "x")).hasMessage("a request has at most 64 attributes");
    }

    @Test
    void aBuilderThatGoesOnChangesNoRequestThatItHasMade() {
        Request.Builder builder = Request.builder();
        for (int i = 0; i < 9; i++) {
            Request before = builder.build();
            builder.with("name" + i, "value" + i);
            assertThat(before.attributes()).hasSize(i);
            assertThat(before.attribute("name" + i)).isNull();
            assertThat(builder.build().attribute("name" + i)).isEqualTo("value" + i);
        }
    }
}
