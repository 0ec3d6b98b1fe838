package dev.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.redis.servers.RedisServer;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What the quickstart shows is so, in each language: the service's rules on a real Redis, its call, and the headers it
 * prints. What it shows of Spring stands word for word in docs/spring.md, where the tests of the starter run it.
 */
@Tag("slow")
class QuickstartServiceTest {
    private static final Path DOCS = Path.of("..", "docs");
    private static final Pattern RULES = Pattern.compile("```yaml\n(store:.*?)```", Pattern.DOTALL);
    private static final Pattern SPRING = Pattern.compile("```yaml\n((?:sluice|spring):.*?)```", Pattern.DOTALL);
    private static final Pattern CALL = Pattern.compile("^curl -i 'localhost:8080(.*)'$", Pattern.MULTILINE);
    private static final Pattern HEADER = Pattern.compile("^# (RateLimit.*): (.*)$", Pattern.MULTILINE);

    @ParameterizedTest
    @ValueSource(strings = {"quickstart.md", "zh/quickstart.md"})
    void theRulesTheCallAndTheHeaders(String name) throws Exception {
        String page = Files.readString(DOCS.resolve(name));
        try (RedisServer redis = RedisServer.start();
                Service service = Service.with(found(RULES, page).replace("redis://127.0.0.1:6379", redis.url()))) {
            String call = found(CALL, page);
            HttpResponse<String> first = service.get(call);
            assertThat(first.statusCode()).isEqualTo(200);
            Matcher headers = HEADER.matcher(page);
            int shown = 0;
            while (headers.find()) {
                assertThat(first.headers().firstValue(headers.group(1))).hasValue(headers.group(2));
                shown++;
            }
            assertThat(shown).isEqualTo(2);
            HttpResponse<String> last = first;
            for (int i = 2; i <= 11 && last.statusCode() == 200; i++) {
                last = service.get(call); // a Redis that is slow for once costs five more at most
            }
            assertThat(last.statusCode()).isEqualTo(429);
            assertThat(last.headers().map()).containsKey("retry-after");
            assertThat(redis.keys()).contains("sluice:{login-per-ip:203.0.113.9}:1L1m");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"quickstart.md", "zh/quickstart.md"})
    void whatItShowsOfSpringIsOnThePageAboutSpring(String name) throws Exception {
        String page = Files.readString(DOCS.resolve(name));
        String spring = Files.readString(DOCS.resolve("spring.md"));
        assertThat(SPRING.matcher(page).results())
                .hasSize(2)
                .allSatisfy(shown -> assertThat(spring).contains(shown.group()));
    }

    private static String found(Pattern pattern, String page) {
        Matcher matcher = pattern.matcher(page);
        assertThat(matcher.find()).as("the page shows " + pattern).isTrue();
        return matcher.group(1);
    }
}
