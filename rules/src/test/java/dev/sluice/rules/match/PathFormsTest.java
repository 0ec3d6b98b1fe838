package dev.sluice.rules.match;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PathFormsTest {
    @ParameterizedTest
    @ValueSource(strings = {"", "/", "*", "/login", "/a/b/", "/a.b/c..d", "/café", "/a/b:c@d,e=f&g+h!'()$~-_"})
    void aPlainPathHasOneForm(String path) {
        assertThat(PathForms.of(path)).isNull();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/a?b=/c;d           | /a",
                "/a%20b              | /a b",
                "/caf%C3%A9          | /café",
                "/a//b               | /a/b",
                "/a%2fb              | /a/b /a%2Fb",
                "/a%252fb            | /a%2fb /a%252fb /a/b /a%2Fb",
                "/a;b/c              | /a/c /a;b/c",
                "/a\\b               | /a/b /a\\b",
                "/a/../b             | /b /a/../b",
                "/a/./b              | /a/b /a/./b",
                "/a//../b            | /b /a/b /a/../b",
                "/a#b                | /a /a#b",
                "http://h/a          | /a",
                "//h/a               | /h/a /a",
                "/static/..%2flogin  | /login /static/../login /static/..%2Flogin",
                "/static/..;/login   | /login /static/../login /static/..;/login",
            })
    void theFormsOfOthers(String path, String forms) {
        PathForms read = Objects.requireNonNull(PathForms.of(path));
        assertThat(String.join("!", read.all()))
                .isEqualTo(forms.replace("a b", "a_b").replace(" ", "!").replace("a_b", "a b"));
        assertThat(read.complete()).isTrue();
    }

    @Test
    void aPathWithTooManyFormsIsNotReadToItsEnd() {
        PathForms read = Objects.requireNonNull(PathForms.of("//a%252f;\\..//../b#c;%5cd%3fe"));
        assertThat(read.complete()).isFalse();
        assertThat(read.all()).hasSize(PathForms.MAX);
    }

    /** However long and hostile a path is, the work is bounded: this would take minutes if it were not. */
    @Test
    void theWorkIsBounded() {
        String hostile = "//a%252f;\\..//../b#c;%5cd%3fe".repeat(8);
        String path = hostile + "/%2e".repeat(200_000);
        long began = System.nanoTime();
        for (int i = 0; i < 20; i++) {
            assertThat(Objects.requireNonNull(PathForms.of(path)).complete()).isFalse();
        }
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(30));
    }

    @Test
    void optionsSayWhatTheServersBehindIgnore() {
        PathOptions.Comparison exact = PathOptions.Comparison.EXACT;
        PathOptions.Comparison ignore = PathOptions.Comparison.IGNORE;
        List<String> forms = List.of("/A/b/", "/");
        assertThat(new PathOptions(exact, exact).forms(forms)).containsExactly("/A/b/", "/");
        assertThat(new PathOptions(exact, ignore).forms(forms)).containsExactly("/A/b/", "/A/b", "/");
        assertThat(new PathOptions(ignore, exact).forms(forms)).containsExactly("/a/b/", "/");
        assertThat(new PathOptions(ignore, ignore).forms(forms)).containsExactly("/a/b/", "/a/b", "/");
        List<Condition> conditions = List.of(Condition.anyOf("path", "/A/", "/B/*/"), Condition.is("user", "A/"));
        assertThat(new PathOptions(exact, exact).conditions(conditions)).isEqualTo(conditions);
        assertThat(new PathOptions(ignore, ignore).conditions(conditions))
                .containsExactly(Condition.anyOf("path", "/a/", "/a", "/b/*/", "/b/*"), Condition.is("user", "A/"));
    }

    /** What a path costs is bounded, however many forms it was made to have. */
    @Test
    void aLongPathIsReadOnlyUntilItsFormsAreTooMany() {
        String slow = "/a" + ";x/..%2f\\//a%252f;/".repeat(400);
        PathForms.Reader reader = new PathForms.Reader();
        assertThat(reader.read(slow).complete()).isFalse();
        assertThat(reader.characters()).isLessThanOrEqualTo(PathForms.MAX_CHARACTERS + 2 * slow.length());
    }
}
