package dev.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.redis.servers.RedisServer;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What README.md shows of the service is so: its rules on a real Redis, its call, and the headers it prints. */
class ReadmeServiceTest {
    private static final Pattern RULES = Pattern.compile("```yaml\n(.*?)```", Pattern.DOTALL);
    private static final Pattern CALL = Pattern.compile("^curl -i 'localhost:8080(.*)'$", Pattern.MULTILINE);
    private static final Pattern HEADER = Pattern.compile("^# (RateLimit.*): (.*)$", Pattern.MULTILINE);

    @Test
    void theRulesTheCallAndTheHeaders() throws Exception {
        String page = Files.readString(Path.of("..", "README.md"));
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

    private static String found(Pattern pattern, String page) {
        Matcher matcher = pattern.matcher(page);
        assertThat(matcher.find()).as("README.md shows " + pattern).isTrue();
        return matcher.group(1);
    }
}
