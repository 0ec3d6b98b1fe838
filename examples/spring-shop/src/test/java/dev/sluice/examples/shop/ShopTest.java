package dev.sluice.examples.shop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.redis.servers.RedisServer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

/** The shop as a whole, called from outside. */
@Tag("slow")
class ShopTest {
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    @SuppressWarnings("NullAway.Init")
    private static ConfigurableApplicationContext shop;

    @BeforeAll
    static void open() {
        shop = run();
    }

    private static ConfigurableApplicationContext run(String... more) {
        List<String> arguments = new ArrayList<>(List.of("--server.port=0", "--spring.main.banner-mode=off"));
        arguments.addAll(List.of(more));
        return SpringApplication.run(ShopApplication.class, arguments.toArray(String[]::new));
    }

    @AfterAll
    static void close() {
        shop.close();
    }

    private static HttpResponse<String> send(String method, String path) throws IOException, InterruptedException {
        return send(shop, method, path);
    }

    private static HttpResponse<String> send(ConfigurableApplicationContext to, String method, String path)
            throws IOException, InterruptedException {
        String port = to.getEnvironment().getRequiredProperty("local.server.port");
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .method(method, HttpRequest.BodyPublishers.noBody())
                .build();
        return HTTP.send(request, HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void theFourthOrderIsRefused() throws Exception {
        for (int i = 0; i < 3; i++) {
            assertThat(send("POST", "/orders?user=ann&item=tea").statusCode()).isEqualTo(200);
        }
        HttpResponse<String> refused = send("POST", "/orders?user=ann&item=tea");
        assertThat(refused.statusCode()).isEqualTo(429);
        assertThat(refused.headers().firstValue("Retry-After")).isPresent();
        assertThat(refused.body()).contains("\"rule\":\"orders-per-user\"");
        assertThat(send("GET", "/actuator/sluice/orders-per-user/ann").body()).contains("\"remaining\":0");
        send("DELETE", "/actuator/sluice/orders-per-user/ann");
        assertThat(send("POST", "/orders?user=ann&item=tea").statusCode()).isEqualTo(200);
    }

    @Test
    void twoShopsShareTheirLimitsThroughRedis() throws Exception {
        try (RedisServer redis = RedisServer.start();
                ConfigurableApplicationContext one =
                        run("--sluice.store=" + redis.url(), "--sluice.redis.timeout=10s");
                ConfigurableApplicationContext two =
                        run("--sluice.store=" + redis.url(), "--sluice.redis.timeout=10s")) {
            List<Integer> statuses = new ArrayList<>();
            for (ConfigurableApplicationContext each : List.of(one, two, one, two, one)) {
                statuses.add(send(each, "POST", "/orders?user=ann&item=tea").statusCode());
            }
            assertThat(statuses).containsExactly(200, 200, 200, 429, 429);
        }
    }

    @Test
    void onlyWrongPasswordsCount() throws Exception {
        for (int i = 0; i < 10; i++) {
            assertThat(send("POST", "/login?user=ann&password=ann").statusCode())
                    .isEqualTo(200);
        }
        for (int i = 0; i < 5; i++) {
            assertThat(send("POST", "/login?user=ann&password=no").statusCode()).isEqualTo(401);
        }
        assertThat(send("POST", "/login?user=ann&password=no").statusCode()).isEqualTo(429);
    }

    /** 800 orders of 8 users and 400 searches from 16 threads at once. */
    @Test
    void underLoadEachUserGetsExactlyThreeOrdersAndSearchGoesOn() throws Exception {
        List<Callable<String>> calls = new ArrayList<>();
        for (int i = 0; i < 800; i++) {
            String user = "user" + i % 8;
            calls.add(() -> send("POST", "/orders?user=" + user + "&item=tea").statusCode() == 200 ? user : "refused");
            if (i % 2 == 0) {
                calls.add(() -> {
                    HttpResponse<String> found = send("GET", "/search?q=tea");
                    return found.statusCode() == 200 ? found.body().split(" ", 2)[0] : "search failed";
                });
            }
        }
        Map<String, Long> counts = inParallel(calls);
        for (int i = 0; i < 8; i++) {
            assertThat(counts).containsEntry("user" + i, 3L);
        }
        assertThat(counts).containsEntry("refused", 776L).doesNotContainKey("search failed");
        assertThat(counts.getOrDefault("fresh", 0L) + counts.getOrDefault("yesterday's", 0L))
                .isEqualTo(400);
    }

    private static Map<String, Long> inParallel(List<Callable<String>> calls) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(16);
        try {
            List<String> results = new ArrayList<>();
            for (Future<String> each : threads.invokeAll(calls)) {
                results.add(each.get());
            }
            return results.stream().collect(Collectors.groupingBy(each -> each, Collectors.counting()));
        } finally {
            threads.shutdownNow();
        }
    }
}
