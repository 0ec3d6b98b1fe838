package dev.sluice.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Requests of a template are those that a builder makes, however often a value comes. */
class RequestTemplateTest {
    private static final List<String> NAMES = List.of("user", "ip", "path", "Host");
    private static final List<List<String>> VALUES = List.of(
            List.of("ada", "ADA", ""),
            List.of("203.0.113.9", "203.0.113.9:80", "::FFFF:203.0.113.9", "2001:DB8::1", "nobody", ""),
            List.of("/a", "/a/../b", "/a%2fb", "/static/..;/login", "//a", "/a?b", "", "/" + "%2e%2e/;".repeat(40)),
            List.of("example.org", "EXAMPLE.org:80", "[::1]:443"));

    @Test
    void requestsAreThoseOfABuilder() {
        RequestTemplate template = new RequestTemplate(NAMES);
        Random random = new Random(1);
        for (int i = 0; i < 5000; i++) {
            @Nullable String[] values = new @Nullable String[NAMES.size()];
            Request.Builder builder = Request.builder();
            for (int place = 0; place < values.length; place++) {
                List<String> some = VALUES.get(place);
                int choice = random.nextInt(some.size() + 1);
                if (choice < some.size()) {
                    String value = some.get(choice);
                    values[place] = random.nextBoolean() ? value : String.valueOf(value.toCharArray());
                    builder.with(NAMES.get(place), value);
                }
            }
            Request request = template.request(1, place -> values[place]);
            Request expected = builder.build();
            assertThat(request.attributes()).as(Arrays.toString(values)).isEqualTo(expected.attributes());
            assertThat(request.paths()).isEqualTo(expected.paths());
            assertThat(request.isPathReadable()).isEqualTo(expected.isPathReadable());
            assertThat(request.hasOnePath()).isEqualTo(expected.hasOnePath());
            assertThat(request.cost()).isEqualTo(1);
        }
    }

    @Test
    void namesAreCheckedAsThoseOfABuilder() {
        assertThatThrownBy(() -> new RequestTemplate(List.of("a", "A"))).hasMessageContaining("given twice");
        assertThatThrownBy(() -> new RequestTemplate(List.of(""))).hasMessageContaining("1 to 128 characters");
    }
}
