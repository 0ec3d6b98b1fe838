package dev.sluice.spring.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.sluice.Store;
import dev.sluice.rules.file.RuleFile;
import dev.sluice.spring.RateLimitedException;
import dev.sluice.spring.RuleRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.http.HttpMethod;
import org.springframework.web.client.RestClient;
import org.springframework.web.reactive.function.client.WebClient;

class ClientRateLimitTest {
    private final Queue<String> answers = new ArrayDeque<>();
    private final AtomicInteger asked = new AtomicInteger();

    @SuppressWarnings("NullAway.Init")
    private HttpServer server;

    private final RuleRegistry registry = new RuleRegistry(Store.local(), RuleFile.parse("rules.yaml", """
                    rules:
                      - name: strict
                        key: [host]
                        limits: [2 per 1h]
                      - name: patient
                        limits: [1 per 100ms]
                        on-exceed: wait up to 10s
                      - name: free
                        limits: [1000 per 1s]
                    """));

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            asked.incrementAndGet();
            String answer = answers.isEmpty() ? "200" : answers.remove();
            String[] words = answer.split(" ", 2);
            if (words.length > 1) {
                exchange.getResponseHeaders().set("Retry-After", words[1]);
            }
            exchange.sendResponseHeaders(Integer.parseInt(words[0]), -1);
            exchange.close();
        });
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    private String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort() + "/";
    }

    private int call(String client, String rule, HttpMethod method) {
        if (client.equals("RestClient")) {
            Integer status = RestClient.builder()
                    .requestInterceptor(new ClientRateLimitInterceptors(registry).forRule(rule))
                    .build()
                    .method(method)
                    .uri(url())
                    .exchange((request, response) -> response.getStatusCode().value());
            return status == null ? 0 : status;
        }
        Integer status = WebClient.builder()
                .filter(new ClientRateLimitFilters(registry).forRule(rule))
                .build()
                .method(method)
                .uri(url())
                .exchangeToMono(response ->
                        response.releaseBody().thenReturn(response.statusCode().value()))
                .block();
        return status == null ? 0 : status;
    }

    @ParameterizedTest
    @CsvSource({"RestClient", "WebClient"})
    void aCallOverTheLimitIsNotSent(String client) {
        assertThat(call(client, "strict", HttpMethod.GET)).isEqualTo(200);
        assertThat(call(client, "strict", HttpMethod.GET)).isEqualTo(200);
        assertThatThrownBy(() -> call(client, "strict", HttpMethod.GET)).isInstanceOf(RateLimitedException.class);
        assertThat(asked).hasValue(2);
    }

    @ParameterizedTest
    @CsvSource({"RestClient", "WebClient"})
    void callsWaitForTheirTurn(String client) {
        long start = System.nanoTime();
        for (int i = 0; i < 4; i++) {
            assertThat(call(client, "patient", HttpMethod.GET)).isEqualTo(200);
        }
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(Duration.ofMillis(300));
    }

    /** What the server says in turn, and how often it was asked and what came out in the end. */
    @ParameterizedTest
    @CsvSource({
        "GET,  429 0,                 2, 200",
        "POST, 429 0,                 2, 200",
        "GET,  429 0;429 0,           3, 200",
        "GET,  429 0;429 0;429 0,     3, 429",
        "GET,  503 0,                 2, 200",
        "POST, 503 0,                 1, 503",
        "GET,  429,                   1, 429",
        "GET,  429 3600,              1, 429",
        "GET,  429 soon,              1, 429",
        "GET,  400 0,                 1, 400",
        "GET,  500 0,                 1, 500",
    })
    void retryAfterIsHonouredWhereItHelps(String method, String said, int times, int status) {
        for (String client : List.of("RestClient", "WebClient")) {
            asked.set(0);
            answers.clear();
            answers.addAll(List.of(said.split(";")));
            assertThat(call(client, "free", HttpMethod.valueOf(method))).isEqualTo(status);
            assertThat(asked).hasValue(times);
        }
    }

    @Test
    void retryAfterIsSecondsOrADate() {
        Instant now = Instant.parse("2026-01-01T00:00:00Z");
        assertThat(RetryAfterPolicy.parse("120", now)).isEqualTo(Duration.ofMinutes(2));
        assertThat(RetryAfterPolicy.parse("Thu, 1 Jan 2026 00:00:30 GMT", now)).isEqualTo(Duration.ofSeconds(30));
        assertThat(RetryAfterPolicy.parse("Wed, 31 Dec 2025 00:00:00 GMT", now)).isEqualTo(Duration.ZERO);
        assertThat(RetryAfterPolicy.parse("-1", now)).isNull();
    }

    @Test
    void aRuleThatIsNotThereIsNamed() {
        assertThatThrownBy(() -> new ClientRateLimitInterceptors(registry).forRule("strikt"))
                .hasMessage("there is no rule named 'strikt'; known are strict, patient, free");
    }
}
