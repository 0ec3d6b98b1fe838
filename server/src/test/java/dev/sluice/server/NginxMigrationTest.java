package dev.sluice.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.ManualClock;
import dev.sluice.redis.servers.Eventually;
import dev.sluice.redis.servers.RedisServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntSupplier;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** docs/migrate/nginx.md: a real nginx with {@code limit_req}, and the service with the rule of the page. */
@Tag("slow")
class NginxMigrationTest {
    private static final Path PAGE = Path.of("..", "docs", "migrate", "nginx.md");
    private static final String ALONE = """
            worker_processes 1;
            daemon off;
            pid nginx.pid;
            error_log stderr warn;
            events {}
            http {
                access_log off;
                client_body_temp_path body;
                proxy_temp_path proxy;
                fastcgi_temp_path fastcgi;
                uwsgi_temp_path uwsgi;
                scgi_temp_path scgi;
                %s
            }
            """;

    private final HttpClient client = HttpClient.newHttpClient();
    private final int front = RedisServer.freePort();
    private HttpServer app;

    @BeforeEach
    void startApp() throws IOException {
        Assumptions.assumeTrue(Nginx.find().isPresent(), "no nginx here; ./verify installs it");
        app = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        app.createContext("/", exchange -> {
            byte[] answer = "the app\n".getBytes(UTF_8);
            exchange.sendResponseHeaders(200, answer.length);
            exchange.getResponseBody().write(answer);
            exchange.close();
        });
        app.start();
    }

    @AfterEach
    void stopApp() {
        if (app != null) {
            app.stop(0);
        }
    }

    private static String snippet(String language) throws IOException {
        return Pattern.compile("^```" + language + "\\n(.*?)^```$", Pattern.DOTALL | Pattern.MULTILINE)
                .matcher(Files.readString(PAGE))
                .results()
                .findFirst()
                .orElseThrow()
                .group(1);
    }

    /** The configuration of the page, with ports that are free, and something in it written otherwise. */
    private Nginx nginx(Map<String, String> changes) throws IOException {
        Map<String, String> all = new HashMap<>(changes);
        all.put("127.0.0.1:8000", "127.0.0.1:" + front);
        all.put("127.0.0.1:3000", "127.0.0.1:" + app.getAddress().getPort());
        String configuration = snippet("nginx");
        for (Map.Entry<String, String> change : all.entrySet()) {
            assertThat(configuration).contains(change.getKey());
            configuration = configuration.replace(change.getKey(), change.getValue());
        }
        return Nginx.start(Nginx.find().orElseThrow(), ALONE.formatted(configuration), front);
    }

    private CompletableFuture<Integer> ask() {
        return client.sendAsync(
                        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + front + "/"))
                                .build(),
                        BodyHandlers.discarding())
                .thenApply(HttpResponse::statusCode);
    }

    private static List<Integer> statuses(int times, IntSupplier limiter) {
        List<Integer> statuses = new ArrayList<>();
        for (int i = 0; i < times; i++) {
            statuses.add(limiter.getAsInt());
        }
        return statuses;
    }

    /** A request every two seconds, and four more at once. The burst takes far less than two seconds. */
    @Test
    void theRuleDecidesAsLimitReq() throws Exception {
        try (Service sluice = Service.with(snippet("yaml"));
                Nginx nginx = nginx(Map.of())) {
            IntSupplier before = () -> ask().join();
            IntSupplier after = () -> sluice.get("/v1/check?ip=192.0.2.1").statusCode();
            for (IntSupplier limiter : List.of(before, after)) {
                assertThat(statuses(7, limiter)).containsExactly(200, 200, 200, 200, 200, 429, 429);
                Eventually.holds("one has drained", Duration.ofSeconds(20), () -> limiter.getAsInt() == 200);
                assertThat(statuses(2, limiter)).containsExactly(429, 429);
            }
            assertThat(nginx.log()).contains("limiting requests, excess");
        }
    }

    @Test
    void withoutBurstThereIsRoomForOne() throws Exception {
        try (Nginx nginx = nginx(Map.of(" burst=4 nodelay", ""))) {
            assertThat(statuses(3, () -> ask().join())).containsExactly(200, 429, 429);
            assertThat(nginx.log()).contains("limiting requests");
        }
        Limiter limiter = Limiter.local(new ManualClock(), Limit.parse("30 per 1m leaky-bucket capacity=1"));
        assertThat(List.of(limiter.tryAcquire(), limiter.tryAcquire())).containsExactly(true, false);
    }

    /** Four at once, of which three start a second apart. */
    @Test
    void aBurstWithoutNodelayIsAQueue() throws Exception {
        try (Nginx nginx = nginx(Map.of("rate=30r/m", "rate=1r/s", "burst=4 nodelay", "burst=2"))) {
            List<CompletableFuture<Integer>> answers = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                answers.add(ask());
            }
            assertThat(answers.stream().map(CompletableFuture::join)).containsExactlyInAnyOrder(200, 200, 200, 429);
            assertThat(nginx.log()).contains("delaying request");
        }
        Limiter limiter = Limiter.local(new ManualClock(), Limit.parse("1 per 1s leaky-bucket capacity=3 queue"));
        assertThat(List.of(limiter.decide(), limiter.decide(), limiter.decide()))
                .extracting(Decision::delay)
                .containsExactly(Duration.ZERO, Duration.ofSeconds(1), Duration.ofSeconds(2));
        assertThat(limiter.decide().allowed()).isFalse();
    }
}
