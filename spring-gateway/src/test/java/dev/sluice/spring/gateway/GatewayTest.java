package dev.sluice.spring.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.sluice.spring.RateLimitConfigurationException;
import dev.sluice.spring.RuleRegistry;
import dev.sluice.spring.web.RefusalCustomizer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.cloud.gateway.config.GatewayProperties;
import org.springframework.cloud.gateway.event.RefreshRoutesEvent;
import org.springframework.cloud.gateway.filter.ratelimit.KeyResolver;
import org.springframework.cloud.gateway.filter.ratelimit.RateLimiter;
import org.springframework.cloud.gateway.route.RouteDefinition;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.http.MediaType;
import org.springframework.mock.http.server.reactive.MockServerHttpRequest;
import org.springframework.mock.web.server.MockServerWebExchange;
import reactor.core.publisher.Mono;

/** A real gateway in front of a real server. */
@SuppressWarnings("NullAway.Init")
@Tag("slow")
class GatewayTest {
    private static HttpServer behind;

    @TempDir
    Path folder;

    private static ConfigurableApplicationContext gateway;

    @SpringBootConfiguration
    @EnableAutoConfiguration
    static class App {
        @Bean
        KeyResolver byUser() {
            return exchange ->
                    Mono.justOrEmpty(exchange.getRequest().getHeaders().getFirst("X-User"));
        }

        @Bean
        RefusalCustomizer page() {
            return (refusal, request) -> request.prefers(MediaType.TEXT_HTML)
                    ? refusal.withBody(MediaType.TEXT_HTML, "<p>" + request.rule() + " " + request.path())
                    : refusal;
        }
    }

    @BeforeAll
    static void start() throws Exception {
        behind = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        behind.createContext("/", exchange -> {
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        behind.start();
        List<String> arguments = new ArrayList<>();
        route(arguments, 0, "shop", "sluice-rate-limiter.limits=2 per 1h sliding-log");
        route(arguments, 1, "news", "sluice-rate-limiter.rule=named");
        route(arguments, 2, "open", "sluice-rate-limiter.limits=2 per 1h", "deny-empty-key=false");
        route(arguments, 3, "busy", "sluice-rate-limiter.limits=1 per 1h", "status-code=SERVICE_UNAVAILABLE");
        route(arguments, 4, "twice", "sluice-rate-limiter.limits=3 per 1h, 2 per 1d");
        route(arguments, 5, "changing", "sluice-rate-limiter.limits=1 per 1h");
        gateway = start(arguments);
    }

    private static void route(List<String> to, int number, String id, String... arguments) {
        String route = "--spring.cloud.gateway.server.webflux.routes[" + number + "].";
        to.add(route + "id=" + id);
        to.add(route + "uri=http://127.0.0.1:" + behind.getAddress().getPort());
        to.add(route + "predicates[0]=Path=/" + id + "/**");
        to.add(route + "filters[0].name=RequestRateLimiter");
        for (String argument : arguments) {
            String[] nameAndValue = argument.split("=", 2);
            to.add(route + "filters[0].args.[" + nameAndValue[0] + "]=" + nameAndValue[1]);
        }
    }

    private static ConfigurableApplicationContext start(List<String> more) {
        List<String> arguments = new ArrayList<>(List.of(
                "--server.port=0",
                "--spring.main.banner-mode=off",
                "--logging.level.root=warn",
                "--spring.cloud.compatibility-verifier.enabled=false",
                "--sluice.store=memory",
                "--sluice.rules[0].name=named",
                "--sluice.rules[0].when.caller=gateway",
                "--sluice.rules[0].key=user",
                "--sluice.rules[0].limits=1 per 1h",
                "--sluice.rules[1].name=held",
                "--sluice.rules[1].when.caller=gateway",
                "--sluice.rules[1].limits=1 at once"));
        arguments.addAll(more);
        return new SpringApplicationBuilder(App.class)
                .web(WebApplicationType.REACTIVE)
                .run(arguments.toArray(String[]::new));
    }

    @AfterAll
    static void stop() {
        gateway.close();
        behind.stop(0);
    }

    private static HttpResponse<String> get(String path, String... headers) throws Exception {
        String port = gateway.getEnvironment().getRequiredProperty("local.server.port");
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .timeout(Duration.ofSeconds(30));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return HttpClient.newHttpClient().send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    private static List<Integer> statuses(int times, String path, String user) throws Exception {
        List<Integer> statuses = new ArrayList<>();
        for (int i = 0; i < times; i++) {
            statuses.add(get(path, "X-User", user).statusCode());
        }
        return statuses;
    }

    @Test
    void aRouteHasALimitForEachKey() throws Exception {
        assertThat(statuses(3, "/shop/a", "ann")).containsExactly(200, 200, 429);
        assertThat(statuses(1, "/shop/b", "bob")).containsExactly(200);
    }

    @Test
    void aRefusalIsThatOfTheApplication() throws Exception {
        assertThat(statuses(3, "/shop/a", "cid")).containsExactly(200, 200, 429);
        HttpResponse<String> denied = get("/shop/a", "X-User", "cid");
        assertThat(denied.headers().firstValue("Retry-After")).isPresent();
        assertThat(denied.headers().firstValue("Cache-Control")).contains("no-store");
        assertThat(denied.headers().allValues("RateLimit-Policy")).containsExactly("\"gateway:shop\";q=2;w=3600");
        assertThat(denied.headers().allValues("RateLimit"))
                .singleElement()
                .asString()
                .startsWith("\"gateway:shop\";r=0;t=");
        assertThat(denied.headers().firstValue("Content-Type")).contains("application/problem+json");
        assertThat(denied.body()).contains("\"status\":429", "\"rule\":\"gateway:shop\"");

        HttpResponse<String> page = get("/shop/a", "X-User", "cid", "Accept", "text/html");
        assertThat(page.statusCode()).isEqualTo(429);
        assertThat(page.body()).isEqualTo("<p>gateway:shop /shop/a");
    }

    @Test
    void theStatusOfTheFilterIsKept() throws Exception {
        assertThat(statuses(2, "/busy/a", "ann")).containsExactly(200, 503);
        assertThat(get("/busy/a", "X-User", "ann").body()).contains("\"rule\":\"gateway:busy\"");
    }

    @Test
    void severalLimitsAreOneList() throws Exception {
        assertThat(statuses(3, "/twice/a", "ann")).containsExactly(200, 200, 429);
    }

    @Test
    void anEmptyKeyIsForbiddenUnlessTheRouteAllowsIt() throws Exception {
        HttpResponse<String> forbidden = get("/shop/a");
        assertThat(forbidden.statusCode()).isEqualTo(403);
        assertThat(forbidden.headers().firstValue("RateLimit")).isEmpty();
        for (int i = 0; i < 3; i++) {
            assertThat(get("/open/a").statusCode()).isEqualTo(200);
        }
        assertThat(statuses(3, "/open/a", "ann")).containsExactly(200, 200, 429);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    sluice-rate-limiter.limits=2 pr 10s            | route 'wrong': sluice-rate-limiter.limits: expected a limit such as '5 per 1m'
                    sluice-rate-limiter.limits=2 pr 10s            | '2 pr 10s'
                    sluice-rate-limiter.limits=1 at once           | route 'wrong': [1 at once] holds permits until a request has ended
                    sluice-rate-limiter.rule=nope                  | route 'wrong': there is no rule named 'nope'; known are named, held
                    sluice-rate-limiter.rule=held                  | route 'wrong': [1 at once] holds permits
                    sluice-rate-limiter.limts=2 per 10s            | route 'wrong': sluice-rate-limiter.limts: there is no such argument; known are limits, rule, on-store-failure; did you mean 'limits'?
                    sluice-rate-limitr.limits=2 per 10s            | route 'wrong': sluice-rate-limitr.limits: expected sluice-rate-limiter.limits, .rule or .on-store-failure
                    redis-rate-limiter.replenishRate=2             | route 'wrong': expected sluice-rate-limiter.limits such as '5 per 1m', or sluice-rate-limiter.rule, the name of a rule; there is neither, but redis-rate-limiter.replenishRate
                    sluice-rate-limiter.on-store-failure=allow     | there is neither, but sluice-rate-limiter.on-store-failure
                    """)
    void aMistakeEndsTheStart(String argument, String message) {
        List<String> arguments = new ArrayList<>();
        route(arguments, 0, "wrong", argument);
        assertThatThrownBy(() -> start(arguments).close())
                .isInstanceOf(RateLimitConfigurationException.class)
                .hasMessageContaining(message);
    }

    @Test
    void everyMistakeIsNamedAtOnce() {
        List<String> arguments = new ArrayList<>();
        route(arguments, 0, "one", "sluice-rate-limiter.limits=2 pr 10s");
        route(arguments, 1, "two", "sluice-rate-limiter.limits=2 per 10s", "sluice-rate-limiter.rule=named");
        route(
                arguments,
                2,
                "three",
                "sluice-rate-limiter.limits=2 per 10s",
                "sluice-rate-limiter.on-store-failure=alow");
        assertThatThrownBy(() -> start(arguments).close())
                .hasMessageContaining("route 'one': ")
                .hasMessageContaining("route 'two': ")
                .hasMessageContaining("there is both")
                .hasMessageContaining("route 'three': sluice-rate-limiter.on-store-failure: expected ")
                .hasMessageContaining("allow")
                .hasMessageContaining("was 'alow'");
    }

    /** What docs/spring.md shows of the gateway. */
    @Test
    void theExampleOfTheDocsStarts() throws Exception {
        String example = Pattern.compile("^```yaml\\n(spring:.*?)^```$", Pattern.DOTALL | Pattern.MULTILINE)
                .matcher(Files.readString(Path.of("../docs/spring.md")))
                .results()
                .map(match -> match.group(1))
                .collect(Collectors.joining("---\n"));
        Path file = Files.writeString(folder.resolve("application.yml"), example);
        try (ConfigurableApplicationContext other = start(List.of("--spring.config.location=" + file))) {
            assertThat(other.getBean(RuleRegistry.class).rule("gateway:shop")).isNotNull();
            assertThat(other.getBean(SluiceRateLimiter.class)
                            .isAllowed("shop", "ann")
                            .map(RateLimiter.Response::isAllowed)
                            .block())
                    .isTrue();
        }
    }

    /** The keys of docs/spring.md. */
    @Test
    void aKeyIsAHeaderOrTheAddress() {
        KeyResolver keys = new GatewayKeys().apiKey();
        MockServerHttpRequest.BaseBuilder<?> request =
                MockServerHttpRequest.get("/").remoteAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 1));
        assertThat(keys.resolve(MockServerWebExchange.from(request)).block()).isEqualTo("127.0.0.1");
        assertThat(keys.resolve(MockServerWebExchange.from(request.header("X-Api-Key", "k")))
                        .block())
                .isEqualTo("k");
    }

    @Test
    void defaultFiltersLimitEachRouteApart() throws Exception {
        List<String> arguments = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            String route = "--spring.cloud.gateway.server.webflux.routes[" + i + "].";
            arguments.add(route + "id=r" + i);
            arguments.add(route + "uri=http://127.0.0.1:" + behind.getAddress().getPort());
            arguments.add(route + "predicates[0]=Path=/r" + i + "/**");
        }
        String filter = "--spring.cloud.gateway.server.webflux.default-filters[0].";
        arguments.add(filter + "name=RequestRateLimiter");
        arguments.add(filter + "args.[sluice-rate-limiter.limits]=1 per 1h");
        ConfigurableApplicationContext before = gateway;
        try (ConfigurableApplicationContext other = start(arguments)) {
            gateway = other;
            assertThat(statuses(2, "/r0/a", "ann")).containsExactly(200, 429);
            assertThat(statuses(2, "/r1/a", "ann")).containsExactly(200, 429);
        } finally {
            gateway = before;
        }
    }

    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void aMistakeWhileRunningLeavesTheRoutesAsTheyWere(CapturedOutput output) throws Exception {
        RouteDefinition changed = gateway.getBean(GatewayProperties.class).getRoutes().stream()
                .filter(route -> "changing".equals(route.getId()))
                .findFirst()
                .orElseThrow();
        Map<String, String> arguments = changed.getFilters().get(0).getArgs();
        arguments.put("sluice-rate-limiter.limits", "9 pr 1h");
        try {
            gateway.publishEvent(new RefreshRoutesEvent(this));
            assertThat(output).contains("ERROR", "route 'changing': sluice-rate-limiter.limits: expected a limit");
            assertThat(statuses(2, "/changing/a", "ann")).containsExactly(200, 429);

            arguments.put("sluice-rate-limiter.limits", "3 per 1h");
            gateway.publishEvent(new RefreshRoutesEvent(this));
            assertThat(statuses(4, "/changing/a", "bob")).containsExactly(200, 200, 200, 429);
        } finally {
            arguments.put("sluice-rate-limiter.limits", "1 per 1h");
            gateway.publishEvent(new RefreshRoutesEvent(this));
        }
    }

    @Test
    void aRouteCanNameARule() throws Exception {
        assertThat(statuses(2, "/news/a", "ann")).containsExactly(200, 429);
        assertThat(statuses(2, "/news/a", "bob")).containsExactly(200, 429);
    }
}
