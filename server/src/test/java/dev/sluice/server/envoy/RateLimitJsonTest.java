package dev.sluice.server.envoy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.OnFailure;
import dev.sluice.Store;
import dev.sluice.server.envoy.file.EnvoyConfig;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** {@code POST /json}. */
final class RateLimitJsonTest {
    private static final long SEED = 20_261_115;

    private final Clock clock = new Clock();
    private final HttpClient client = HttpClient.newHttpClient();
    private RlsServer server;

    @BeforeEach
    void start() throws Exception {
        server = new RlsServer(new EnvoyLimits(
                Store.local(clock), OnFailure.LOCAL, EnvoyConfig.parse(Map.of("dummy.yaml", """
                        domain: dummy
                        descriptors:
                          - key: one_per_day
                            rate_limit: { unit: day, requests_per_unit: 1 }
                        """)), clock::micros));
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void withinAndOverTheLimit() throws Exception {
        String body = """
                { "domain": "dummy", "descriptors": [ { "entries": [{ "key": "one_per_day", "value": "something" }] } ] }
                """;
        HttpResponse<String> first = post(body);
        assertThat(first.statusCode()).isEqualTo(200);
        assertThat(first.headers().firstValue("Content-Type")).hasValue("application/json");
        assertThat(first.headers().firstValue("RateLimit")).hasValue("\"default\";r=0;t=86400");
        assertThat(first.headers().firstValue("Retry-After")).isEmpty();
        assertThat(first.body())
                .isEqualTo(
                        "{\"overallCode\":\"OK\",\"statuses\":[{\"code\":\"OK\",\"currentLimit\":{\"requestsPerUnit\":1,"
                                + "\"unit\":\"DAY\"},\"durationUntilReset\":\"86400s\"}],\"responseHeadersToAdd\":["
                                + "{\"key\":\"RateLimit-Policy\",\"value\":\"\\\"default\\\";q\\u003d1;w\\u003d86400\"},"
                                + "{\"key\":\"RateLimit\",\"value\":\"\\\"default\\\";r\\u003d0;t\\u003d86400\"}]}\n");
        HttpResponse<String> second = post(body);
        assertThat(second.statusCode()).isEqualTo(429);
        assertThat(second.headers().firstValue("Retry-After")).hasValue("86400");
        assertThat(second.body()).startsWith("{\"overallCode\":\"OVER_LIMIT\",\"statuses\":[{\"code\":\"OVER_LIMIT\"");
    }

    @Test
    void snakeCaseAndHitsAreReadToo() throws Exception {
        String check =
                "{\"domain\":\"dummy\",\"hits_addend\":1,\"descriptors\":[{\"entries\":[{\"key\":\"one_per_day\"}],"
                        + "\"hitsAddend\":\"0\"}]}";
        assertThat(post(check).body()).contains("\"limitRemaining\":1");
        assertThat(post(check).body()).contains("\"limitRemaining\":1");
    }

    @Test
    void whatIsNoRequestIsRefused() throws Exception {
        refused("{", 400, "not a RateLimitRequest in JSON: ");
        refused("", 400, "not a RateLimitRequest in JSON: ");
        refused("{}", 400, "domain must not be empty");
        refused("[]", 400, "not a RateLimitRequest in JSON: ");
        refused("{\"domain\":5}", 400, "descriptors must not be empty");
        refused("{\"domain\":\"dummy\"}", 400, "descriptors must not be empty");
        refused("{\"domain\":\"dummy\",\"hitsAddend\":-1}", 400, "not a RateLimitRequest in JSON: ");
        refused("{\"domain\":\"dummy\",\"nonsense\":1}", 400, "nonsense");
        refused("[".repeat(100_000), 400, "not a RateLimitRequest in JSON: ");
        refused("{\"domain\":\"" + "x".repeat(300 << 10) + "\"}", 413, "the body has at most 262144 bytes");
        HttpResponse<String> get =
                client.send(HttpRequest.newBuilder(server.json()).GET().build(), HttpResponse.BodyHandlers.ofString());
        assertThat(get.statusCode()).isEqualTo(405);
        assertThat(get.headers().firstValue("Allow")).hasValue("POST");
    }

    /** Requests with characters changed, cut off and put in, each of which gets an answer. */
    @Test
    void fuzz() throws Exception {
        String good = "{\"domain\":\"dummy\",\"hitsAddend\":2,\"descriptors\":[{\"entries\":[{\"key\":\"one_per_day\","
                + "\"value\":\"a\"}],\"limit\":{\"requestsPerUnit\":4,\"unit\":\"HOUR\"},\"hitsAddend\":\"1\"}]}";
        String signs = "{}[]\",:0123456789eE+-.\\unltrfaseé\uD800\0";
        Random random = new Random(SEED);
        for (int i = 0; i < 400; i++) {
            StringBuilder text = new StringBuilder(good);
            for (int j = random.nextInt(4); j >= 0; j--) {
                int at = random.nextInt(text.length());
                switch (random.nextInt(3)) {
                    case 0 -> text.setCharAt(at, signs.charAt(random.nextInt(signs.length())));
                    case 1 -> text.insert(at, signs.charAt(random.nextInt(signs.length())));
                    default -> text.deleteCharAt(at);
                }
            }
            HttpResponse<String> response = post(text.toString());
            assertThat(response.statusCode())
                    .as("seed " + SEED + ", round " + i + ": " + text + " -> " + response.body())
                    .isIn(200, 400, 429);
        }
    }

    private void refused(String body, int status, String detail) throws Exception {
        HttpResponse<String> response = post(body);
        assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
        assertThat(response.headers().firstValue("Content-Type")).hasValue("application/problem+json");
        assertThat(response.body()).contains(detail);
    }

    private HttpResponse<String> post(String body) throws Exception {
        return client.send(
                HttpRequest.newBuilder(server.json())
                        .POST(HttpRequest.BodyPublishers.ofString(body))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }
}
