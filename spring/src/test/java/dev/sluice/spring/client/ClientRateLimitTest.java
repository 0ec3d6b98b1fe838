package dev.sluice.spring.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.sluice.Store;
import dev.sluice.rules.file.RuleFile;
import dev.sluice.spring.RateLimitConfigurationException;
import dev.sluice.spring.RateLimitedException;
import dev.sluice.spring.RuleRegistry;
import dev.sluice.spring.SluiceAutoConfiguration;
import feign.AsyncFeign;
import feign.Feign;
import feign.RequestLine;
import feign.Response;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpMethod;
import org.springframework.http.ResponseEntity;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestTemplate;
import org.springframework.web.client.support.RestClientAdapter;
import org.springframework.web.reactive.function.client.WebClient;
import org.springframework.web.reactive.function.client.support.WebClientAdapter;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.annotation.PostExchange;
import org.springframework.web.service.invoker.HttpExchangeAdapter;
import org.springframework.web.service.invoker.HttpServiceProxyFactory;
import reactor.core.publisher.Mono;

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

    /** What users of a client of any kind write. */
    interface Api {
        @GetExchange("/")
        ResponseEntity<Void> get();

        @PostExchange("/")
        ResponseEntity<Void> post();
    }

    interface FeignApi {
        @RequestLine("GET /")
        Response get();

        @RequestLine("POST /")
        Response post();
    }

    enum Kind {
        REST_CLIENT,
        REST_TEMPLATE,
        WEB_CLIENT,
        INTERFACE_ON_REST_CLIENT,
        INTERFACE_ON_WEB_CLIENT,
        FEIGN
    }

    private RestClient restClient(String rule) {
        return RestClient.builder()
                .baseUrl(url())
                .defaultStatusHandler(status -> true, (request, response) -> {})
                .requestInterceptor(new ClientRateLimitInterceptors(registry).forRule(rule))
                .build();
    }

    private WebClient webClient(String rule) {
        return WebClient.builder()
                .baseUrl(url())
                .defaultStatusHandler(status -> true, response -> Mono.empty())
                .filter(new ClientRateLimitFilters(registry).forRule(rule))
                .build();
    }

    private RestTemplate restTemplate(String rule) {
        RestTemplate template = new RestTemplate();
        template.getInterceptors().add(new ClientRateLimitInterceptors(registry).forRule(rule));
        template.setErrorHandler(response -> false);
        return template;
    }

    private FeignApi feign(String rule) {
        return Feign.builder()
                .addCapability(new ClientRateLimitCapabilities(registry).forRule(rule))
                .target(FeignApi.class, url());
    }

    private int call(Kind client, String rule, HttpMethod method) {
        boolean get = method.equals(HttpMethod.GET);
        return switch (client) {
            case REST_CLIENT ->
                status(restClient(rule).method(method).retrieve().toBodilessEntity());
            case REST_TEMPLATE -> status(restTemplate(rule).exchange(url(), method, null, Void.class));
            case WEB_CLIENT ->
                status(webClient(rule)
                        .method(method)
                        .retrieve()
                        .toBodilessEntity()
                        .block());
            case INTERFACE_ON_REST_CLIENT -> call(RestClientAdapter.create(restClient(rule)), get);
            case INTERFACE_ON_WEB_CLIENT -> call(WebClientAdapter.create(webClient(rule)), get);
            case FEIGN -> {
                FeignApi api = feign(rule);
                try (Response response = get ? api.get() : api.post()) {
                    yield response.status();
                }
            }
        };
    }

    private static int call(HttpExchangeAdapter adapter, boolean get) {
        Api api = HttpServiceProxyFactory.builderFor(adapter).build().createClient(Api.class);
        return status(get ? api.get() : api.post());
    }

    private static int status(@Nullable ResponseEntity<?> response) {
        return response == null ? 0 : response.getStatusCode().value();
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void aCallOverTheLimitIsNotSent(Kind client) {
        assertThat(call(client, "strict", HttpMethod.GET)).isEqualTo(200);
        assertThat(call(client, "strict", HttpMethod.GET)).isEqualTo(200);
        assertThatThrownBy(() -> call(client, "strict", HttpMethod.GET)).isInstanceOf(RateLimitedException.class);
        assertThat(asked).hasValue(2);
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void callsWaitForTheirTurn(Kind client) {
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
        "POST, 429 0,                 1, 429",
        "GET,  429 0;429 0;429 0,     4, 200",
        "GET,  429 0;429 0;429 0;503 0, 4, 503",
        "GET,  503 0,                 2, 200",
        "POST, 503 0,                 1, 503",
        "GET,  429,                   1, 429",
        "GET,  429 3600,              1, 429",
        "GET,  429 soon,              1, 429",
        "GET,  400 0,                 1, 400",
        "GET,  500 0,                 1, 500",
    })
    void retryAfterIsHonouredWhereItHelps(String method, String said, int times, int status) {
        for (Kind client : Kind.values()) {
            asked.set(0);
            answers.clear();
            answers.addAll(List.of(said.split(";")));
            assertThat(call(client, "free", HttpMethod.valueOf(method))).isEqualTo(status);
            assertThat(asked).as(client.name()).hasValue(times);
        }
    }

    @Test
    @Timeout(60)
    void aRefusalWhoseBodyDoesNotEndIsNotWaitedFor() {
        CountDownLatch over = new CountDownLatch(1);
        server.stop(0);
        server = stalling(over);
        try {
            assertThat(call(Kind.WEB_CLIENT, "free", HttpMethod.GET)).isEqualTo(200);
            assertThat(asked).hasValue(2);
        } finally {
            over.countDown();
        }
    }

    /** A server that stops in the middle of its first answer. */
    private HttpServer stalling(CountDownLatch over) {
        HttpServer stalling;
        try {
            stalling = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        stalling.setExecutor(task -> new Thread(task, "stalling-server").start());
        stalling.createContext("/", exchange -> {
            if (asked.incrementAndGet() > 1) {
                exchange.sendResponseHeaders(200, -1);
                exchange.close();
                return;
            }
            exchange.getResponseHeaders().set("Retry-After", "0");
            exchange.sendResponseHeaders(503, 1000);
            exchange.getResponseBody().write('x');
            exchange.getResponseBody().flush();
            try {
                over.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            exchange.close();
        });
        stalling.start();
        return stalling;
    }

    /** The calls of one interceptor share a budget, so that a server that is overloaded is left alone. */
    @Test
    void retriesEndWithTheBudget() {
        RestClient client = restClient("free");
        for (int i = 0; i < 100; i++) {
            answers.add("503 0");
        }
        for (int i = 0; i < 20; i++) {
            assertThat(status(client.get().retrieve().toBodilessEntity())).isEqualTo(503);
        }
        assertThat(asked.get()).isBetween(20 + 10, 20 + 12);
    }

    @Test
    void aRuleThatIsNotThereIsNamed() {
        assertThatThrownBy(() -> new ClientRateLimitInterceptors(registry).forRule("strikt"))
                .isInstanceOf(RateLimitConfigurationException.class)
                .hasMessageStartingWith(
                        "ClientRateLimitInterceptors.forRule: there is no rule named 'strikt'; known are "
                                + "strict, patient, free");
        assertThatThrownBy(() -> new ClientRateLimitFilters(registry).forRule("strikt"))
                .hasMessageStartingWith("ClientRateLimitFilters.forRule: there is no rule named 'strikt'");
        assertThatThrownBy(() -> new ClientRateLimitCapabilities(registry).forRule("strikt"))
                .hasMessageStartingWith("ClientRateLimitCapabilities.forRule: there is no rule named 'strikt'");
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({SluiceAutoConfiguration.class, SluiceClientAutoConfiguration.class})
    static class WrongApp {
        @Bean
        RestClient github(ClientRateLimitInterceptors interceptors) {
            return RestClient.builder()
                    .requestInterceptor(interceptors.forRule("nope"))
                    .build();
        }
    }

    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void aRuleThatIsNotThereEndsTheStartWithAnExplanation(CapturedOutput output) {
        assertThatThrownBy(() -> new SpringApplicationBuilder(WrongApp.class)
                .web(WebApplicationType.NONE)
                .run("--sluice.store=memory", "--spring.main.banner-mode=off"));
        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .contains("ClientRateLimitInterceptors.forRule: there is no rule named 'nope'; there are none")
                .doesNotContain("\tat ");
    }

    @Test
    void feignWithoutThreadsIsNotLeftWithoutALimit() {
        assertThatThrownBy(() -> AsyncFeign.builder()
                        .addCapability(new ClientRateLimitCapabilities(registry).forRule("free"))
                        .target(FeignApi.class, url()))
                .rootCause()
                .hasMessageContaining("not AsyncFeign");
    }
}
