package dev.sluice.spring.gateway;

import com.sun.net.httpserver.HttpServer;
import dev.sluice.spring.web.RefusalCustomizer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.cloud.gateway.event.RefreshRoutesEvent;
import org.springframework.cloud.gateway.filter.ratelimit.KeyResolver;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.http.MediaType;
import reactor.core.publisher.Mono;

/** A real gateway in front of a real server. Closing one ends the event loops of all, so there is one at a time. */
final class RunningGateway implements AutoCloseable {
    private static final String ROUTES = "--spring.cloud.gateway.server.webflux.routes[";

    private final HttpServer behind;
    private final ConfigurableApplicationContext context;

    @SpringBootConfiguration
    @EnableAutoConfiguration
    static class App {
        @Bean
        @ConditionalOnProperty(name = "test.key-by-user", matchIfMissing = true)
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

    /** @param routes the properties of the routes, in which {@code BEHIND} stands for the server behind them */
    @SafeVarargs
    RunningGateway(List<String>... routes) throws IOException {
        behind = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        behind.createContext("/", exchange -> {
            boolean fails = exchange.getRequestURI().getPath().endsWith("/fails");
            exchange.sendResponseHeaders(fails ? 503 : 200, -1);
            exchange.close();
        });
        behind.start();
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
        for (List<String> route : routes) {
            route.forEach(each -> arguments.add(each.replace(
                    "BEHIND", "http://127.0.0.1:" + behind.getAddress().getPort())));
        }
        try {
            context = new SpringApplicationBuilder(App.class)
                    .web(WebApplicationType.REACTIVE)
                    .run(arguments.toArray(String[]::new));
        } catch (RuntimeException e) {
            behind.stop(0);
            throw e;
        }
    }

    /** A route without filters of its own. */
    static List<String> open(int number, String id) {
        String route = ROUTES + number + "].";
        return List.of(route + "id=" + id, route + "uri=BEHIND", route + "predicates[0]=Path=/" + id + "/**");
    }

    /** A route with the filter and these arguments of it. */
    static List<String> route(int number, String id, String... arguments) {
        List<String> route = new ArrayList<>(open(number, id));
        String filter = ROUTES + number + "].filters[0].";
        route.add(filter + "name=RequestRateLimiter");
        for (String argument : arguments) {
            String[] nameAndValue = argument.split("=", 2);
            route.add(filter + "args.[" + nameAndValue[0] + "]=" + nameAndValue[1]);
        }
        return route;
    }

    /** A route that has the filter twice: each request is charged twice. */
    static List<String> limitedTwice(int number, String id, String limits) {
        List<String> route = new ArrayList<>(route(number, id, "sluice-rate-limiter.limits=" + limits));
        String filter = ROUTES + number + "].filters[1].";
        route.add(filter + "name=RequestRateLimiter");
        route.add(filter + "args.[sluice-rate-limiter.limits]=" + limits);
        return route;
    }

    <T> T bean(Class<T> type) {
        return context.getBean(type);
    }

    /** Reads the routes again. */
    void refresh() {
        context.publishEvent(new RefreshRoutesEvent(this));
    }

    HttpResponse<String> get(String path, String... headers) throws IOException, InterruptedException {
        String port = context.getEnvironment().getRequiredProperty("local.server.port");
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .timeout(Duration.ofSeconds(30));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return HttpClient.newHttpClient().send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    /** The statuses of the same request, again and again. */
    List<Integer> statuses(int times, String path, String user) throws IOException, InterruptedException {
        List<Integer> statuses = new ArrayList<>();
        for (int i = 0; i < times; i++) {
            statuses.add(get(path, "X-User", user).statusCode());
        }
        return statuses;
    }

    @Override
    public void close() {
        context.close();
        behind.stop(0);
    }
}
