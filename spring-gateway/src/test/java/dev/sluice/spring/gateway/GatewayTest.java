package dev.sluice.spring.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.cloud.gateway.filter.ratelimit.KeyResolver;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import reactor.core.publisher.Mono;

/** A real gateway in front of a real server. */
@SuppressWarnings("NullAway.Init")
@Tag("slow")
class GatewayTest {
    private static HttpServer behind;
    private static ConfigurableApplicationContext gateway;

    @SpringBootConfiguration
    @EnableAutoConfiguration
    static class App {
        @Bean
        KeyResolver byUser() {
            return exchange ->
                    Mono.justOrEmpty(exchange.getRequest().getHeaders().getFirst("X-User"));
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
        String routes = "--spring.cloud.gateway.server.webflux.routes";
        String uri = ".uri=http://127.0.0.1:" + behind.getAddress().getPort();
        gateway = new SpringApplicationBuilder(App.class)
                .web(WebApplicationType.REACTIVE)
                .run(
                        "--server.port=0",
                        "--spring.main.banner-mode=off",
                        "--logging.level.root=warn",
                        "--spring.cloud.compatibility-verifier.enabled=false",
                        "--sluice.store=memory",
                        "--sluice.rules[0].name=named",
                        "--sluice.rules[0].when.caller=gateway",
                        "--sluice.rules[0].key=user",
                        "--sluice.rules[0].limits=1 per 1h",
                        routes + "[0].id=shop",
                        routes + "[0]" + uri,
                        routes + "[0].predicates[0]=Path=/shop/**",
                        routes + "[0].filters[0].name=RequestRateLimiter",
                        routes + "[0].filters[0].args.[sluice-rate-limiter.limits]=2 per 1h sliding-log",
                        routes + "[1].id=news",
                        routes + "[1]" + uri,
                        routes + "[1].predicates[0]=Path=/news/**",
                        routes + "[1].filters[0].name=RequestRateLimiter",
                        routes + "[1].filters[0].args.[sluice-rate-limiter.rule]=named");
    }

    @AfterAll
    static void stop() {
        gateway.close();
        behind.stop(0);
    }

    private static HttpResponse<String> get(String path, String user) throws Exception {
        String port = gateway.getEnvironment().getRequiredProperty("local.server.port");
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .timeout(Duration.ofSeconds(30))
                .header("X-User", user)
                .build();
        return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
    }

    private static List<Integer> statuses(int times, String path, String user) throws Exception {
        List<Integer> statuses = new ArrayList<>();
        for (int i = 0; i < times; i++) {
            statuses.add(get(path, user).statusCode());
        }
        return statuses;
    }

    @Test
    void aRouteHasALimitForEachKey() throws Exception {
        assertThat(statuses(3, "/shop/a", "ann")).containsExactly(200, 200, 429);
        assertThat(statuses(1, "/shop/b", "bob")).containsExactly(200);
        HttpResponse<String> denied = get("/shop/a", "ann");
        assertThat(denied.headers().firstValue("Retry-After")).isPresent();
        assertThat(denied.headers().firstValue("RateLimit-Policy")).contains("\"gateway:shop\";q=2;w=3600");
    }

    @Test
    void aRouteCanNameARule() throws Exception {
        assertThat(statuses(2, "/news/a", "ann")).containsExactly(200, 429);
        assertThat(statuses(2, "/news/a", "bob")).containsExactly(200, 429);
    }
}
