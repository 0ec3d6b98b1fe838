package dev.sluice.spring.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.redis.servers.Eventually;
import dev.sluice.spring.RuleRegistry;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.cloud.gateway.config.GatewayProperties;
import org.springframework.cloud.gateway.filter.ratelimit.KeyResolver;
import org.springframework.cloud.gateway.route.RouteDefinition;
import org.springframework.mock.http.server.reactive.MockServerHttpRequest;
import org.springframework.mock.web.server.MockServerWebExchange;

/** A real gateway in front of a real server. */
@SuppressWarnings("NullAway.Init")
@Tag("slow")
class GatewayTest {
    private static RunningGateway gateway;

    @BeforeAll
    static void start() throws Exception {
        gateway = new RunningGateway(
                RunningGateway.route(0, "shop", "sluice-rate-limiter.limits=2 per 1h sliding-log"),
                RunningGateway.route(1, "news", "sluice-rate-limiter.rule=named"),
                RunningGateway.route(2, "open", "sluice-rate-limiter.limits=2 per 1h", "deny-empty-key=false"),
                RunningGateway.route(
                        3, "busy", "sluice-rate-limiter.limits=1 per 1h", "status-code=SERVICE_UNAVAILABLE"),
                RunningGateway.route(4, "twice", "sluice-rate-limiter.limits=3 per 1h, 2 per 1d"),
                RunningGateway.route(5, "changing", "sluice-rate-limiter.limits=1 per 1h"),
                RunningGateway.route(6, "figures", "sluice-rate-limiter.limits=2 per 1h"),
                RunningGateway.route(7, "away", "sluice-rate-limiter.limits=2 per 1h").stream()
                        .map(each -> each.replace("BEHIND", "http://127.0.0.1:1"))
                        .toList(),
                RunningGateway.limitedTwice(8, "both", "3 per 1h"));
    }

    @AfterAll
    static void stop() {
        gateway.close();
    }

    @Test
    void aRouteHasALimitForEachKey() throws Exception {
        assertThat(gateway.statuses(3, "/shop/a", "ann")).containsExactly(200, 200, 429);
        assertThat(gateway.statuses(1, "/shop/b", "bob")).containsExactly(200);
    }

    @Test
    void aRefusalIsThatOfTheApplication() throws Exception {
        assertThat(gateway.statuses(3, "/shop/a", "cid")).containsExactly(200, 200, 429);
        HttpResponse<String> denied = gateway.get("/shop/a", "X-User", "cid");
        assertThat(denied.headers().firstValue("Retry-After")).isPresent();
        assertThat(denied.headers().firstValue("Cache-Control")).contains("no-store");
        assertThat(denied.headers().allValues("RateLimit-Policy")).containsExactly("\"gateway:shop\";q=2;w=3600");
        assertThat(denied.headers().allValues("RateLimit"))
                .singleElement()
                .asString()
                .startsWith("\"gateway:shop\";r=0;t=");
        assertThat(denied.headers().firstValue("Content-Type")).contains("application/problem+json");
        assertThat(denied.body()).contains("\"status\":429", "\"rule\":\"gateway:shop\"");

        HttpResponse<String> page = gateway.get("/shop/a", "X-User", "cid", "Accept", "text/html");
        assertThat(page.statusCode()).isEqualTo(429);
        assertThat(page.body()).isEqualTo("<p>gateway:shop /shop/a");
    }

    @Test
    void theStatusOfTheFilterIsKept() throws Exception {
        assertThat(gateway.statuses(2, "/busy/a", "ann")).containsExactly(200, 503);
        assertThat(gateway.get("/busy/a", "X-User", "ann").body())
                .contains("\"status\":503", "\"rule\":\"gateway:busy\"");
    }

    @Test
    void severalLimitsAreOneList() throws Exception {
        assertThat(gateway.statuses(3, "/twice/a", "ann")).containsExactly(200, 200, 429);
    }

    @Test
    void anEmptyKeyIsForbiddenUnlessTheRouteAllowsIt() throws Exception {
        HttpResponse<String> forbidden = gateway.get("/shop/a");
        assertThat(forbidden.statusCode()).isEqualTo(403);
        assertThat(forbidden.headers().firstValue("RateLimit")).isEmpty();
        for (int i = 0; i < 3; i++) {
            assertThat(gateway.get("/open/a").statusCode()).isEqualTo(200);
        }
        assertThat(gateway.statuses(3, "/open/a", "ann")).containsExactly(200, 200, 429);
    }

    /** What ends here is heard of before the client has the whole response, or a moment later. */
    @Test
    void aRouteHasFigures() throws Exception {
        List<String> heard = Collections.synchronizedList(new ArrayList<>());
        gateway.bean(RuleRegistry.class).listener((kind, verdict) -> {
            String rules = kind + " "
                    + verdict.decisions().stream()
                            .map(each -> each.rule().name())
                            .toList();
            heard.add(rules);
            return result -> heard.add(rules + " " + result);
        });
        assertThat(gateway.statuses(1, "/figures/a", "ann")).containsExactly(200);
        assertThat(gateway.statuses(1, "/figures/fails", "ann")).containsExactly(503);
        assertThat(gateway.statuses(1, "/figures/a", "ann")).containsExactly(429);
        assertThat(gateway.statuses(1, "/away/a", "ann")).containsExactly(500);
        assertThat(gateway.statuses(2, "/both/a", "ann")).containsExactly(200, 429);
        Eventually.holds("all ends are heard of", Duration.ofSeconds(10), () -> heard.size() == 12);
        assertThat(heard)
                .containsExactlyInAnyOrder(
                        "ROUTE [gateway:figures]",
                        "ROUTE [gateway:figures] SUCCESS",
                        "ROUTE [gateway:figures]",
                        "ROUTE [gateway:figures] ERROR",
                        "ROUTE [gateway:away]",
                        "ROUTE [gateway:away] ERROR",
                        "ROUTE [gateway:both]",
                        "ROUTE [gateway:both] SUCCESS",
                        "ROUTE [gateway:both]",
                        "ROUTE [gateway:both] SUCCESS",
                        "ROUTE [gateway:both]",
                        "ROUTE [gateway:both] NOT_RUN");
    }

    /** The keys of docs/spring.md. */
    @Test
    void aKeyIsAHeaderOrTheAddress() {
        KeyResolver keys = new GatewayKeys().apiKey();
        MockServerHttpRequest.BaseBuilder<?> request = MockServerHttpRequest.get("/")
                .remoteAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 1));
        assertThat(keys.resolve(MockServerWebExchange.from(request)).block()).isEqualTo("127.0.0.1");
        assertThat(keys.resolve(MockServerWebExchange.from(request.header("X-Api-Key", "k")))
                        .block())
                .isEqualTo("k");
    }

    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void aMistakeWhileRunningLeavesTheRoutesAsTheyWere(CapturedOutput output) throws Exception {
        RouteDefinition changed = gateway.bean(GatewayProperties.class).getRoutes().stream()
                .filter(route -> "changing".equals(route.getId()))
                .findFirst()
                .orElseThrow();
        Map<String, String> arguments = changed.getFilters().get(0).getArgs();
        arguments.put("sluice-rate-limiter.limits", "9 pr 1h");
        try {
            gateway.refresh();
            assertThat(output).contains("ERROR", "route 'changing': sluice-rate-limiter.limits: expected a limit");
            assertThat(gateway.statuses(2, "/changing/a", "ann")).containsExactly(200, 429);

            arguments.put("sluice-rate-limiter.limits", "3 per 1h");
            gateway.refresh();
            assertThat(gateway.statuses(4, "/changing/a", "bob")).containsExactly(200, 200, 200, 429);
        } finally {
            arguments.put("sluice-rate-limiter.limits", "1 per 1h");
            gateway.refresh();
        }
    }

    @Test
    void aRouteCanNameARule() throws Exception {
        assertThat(gateway.statuses(2, "/news/a", "ann")).containsExactly(200, 429);
        assertThat(gateway.statuses(2, "/news/a", "bob")).containsExactly(200, 429);
    }
}
