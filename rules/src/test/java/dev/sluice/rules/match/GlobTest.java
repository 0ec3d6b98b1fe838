package dev.sluice.rules.match;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GlobTest {
    @ParameterizedTest
    @CsvSource({
        "/api/**, /api/v1/users, true",
        "/api/**, /api/, true",
        "/api/**, /api, true",
        "/api/**, /apix, false",
        "/api/**, /ap, false",
        "/api/*, /api/v1, true",
        "/api/*, /api/v1/users, false",
        "/api/*, /api, false",
        "/api/*, /api/, true",
        "/a/**/z, /a/z, true",
        "/a/**/z, /a/b/c/z, true",
        "/a/**/z, /az, false",
        "**/z, z, true",
        "**/z, a/z, true",
        "**/z, az, false",
        "*.example.com, www.example.com, true",
        "*.example.com, a.b.example.com, true",
        "*.example.com, example.com, false",
        "user-?, user-7, true",
        "user-?, user-77, false",
        "user-?, user-/, false",
        "a*b*c, aXXbYYc, true",
        "a*b*c, aXXbYY, false",
        "a*b**c, a1b/2/c, true",
        "*, anything, true",
        "*, any/thing, false",
        "**, any/thing, true",
        "**, '', true",
        "*, '', true",
        "/**, /, true",
        "/**, /x, true",
        "\\*, *, true",
        "\\*, x, false",
        "/*/*, /a/b, true",
        "/*/*, /a, false"
    })
    void matches(String glob, String value, boolean matches) {
        assertThat(Glob.parse(glob).matches(value)).isEqualTo(matches);
    }

    @Test
    void agreesWithTheSimplestMatcherThereIs() {
        Random random = new Random(7);
        for (int i = 0; i < 60_000; i++) {
            String glob = random(random, "ab/*?", 8);
            String value = random(random, "ab/", 8);
            assertThat(Glob.parse(glob).matches(value))
                    .as("%s on %s", glob, value)
                    .isEqualTo(naive(glob, value));
            if (Glob.parse(glob).matches(value)) {
                assertThat(value)
                        .startsWith(Glob.parse(glob).prefix())
                        .endsWith(Glob.parse(glob).suffix());
            }
        }
    }

    private static String random(Random random, String letters, int most) {
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(most + 1); i > 0; i--) {
            text.append(letters.charAt(random.nextInt(letters.length())));
        }
        return text.toString();
    }

    private static boolean naive(String glob, String value) {
        return naive(glob, 0, value);
    }

    /** Whether the glob from {@code at} on matches all of {@code value}, by trying everything. */
    private static boolean naive(String glob, int at, String value) {
        String rest = glob.substring(at);
        if (rest.isEmpty()) {
            return value.isEmpty();
        }
        if (rest.equals("/**") && value.isEmpty()) {
            return true;
        }
        char first = rest.charAt(0);
        if (first == '*') {
            boolean any = rest.startsWith("**");
            int after = at + (any ? 2 : 1);
            boolean atStart = at == 0 || glob.charAt(at - 1) == '/';
            if (any && atStart && glob.startsWith("/", after) && naive(glob, after + 1, value)) {
                return true;
            }
            for (int taken = 0; taken <= value.length(); taken++) {
                if (naive(glob, after, value.substring(taken))) {
                    return true;
                }
                if (!any && taken < value.length() && value.charAt(taken) == '/') {
                    return false;
                }
            }
            return false;
        }
        return !value.isEmpty()
                && (first == '?' ? value.charAt(0) != '/' : first == value.charAt(0))
                && naive(glob, at + 1, value.substring(1));
    }

    @Test
    void noValueMakesItGoBack() {
        Glob glob = Glob.parse("**a*a*a*a*a*a*a*a*b");
        assertThat(glob.matches("a".repeat(8_000))).isFalse();
        assertThat(glob.matches("a".repeat(8_000) + "b")).isTrue();
    }

    @Test
    void aPatternHasALength() {
        assertThatThrownBy(() -> Glob.parse("a".repeat(513)))
                .hasMessage("a pattern has at most 512 characters, was 513");
    }
}
