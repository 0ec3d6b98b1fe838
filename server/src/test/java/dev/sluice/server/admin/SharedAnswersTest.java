package dev.sluice.server.admin;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Answers that several clients share, over sockets: each gets that to its own question, as it is now. */
@Timeout(60)
class SharedAnswersTest {
    private static final String TOKENS = "ada:0123456789abcdef0123\nbob:9876543210fedcba9876\n";
    private static final String[] ADA = {"Authorization", "Bearer 0123456789abcdef0123"};
    private static final String[] BOB = {"Authorization", "Bearer 9876543210fedcba9876"};
    private static final int CLIENTS = 8;
    private static final int REQUESTS = 100;

    private static String rules(int version) {
        return "rules: [{ name: version-" + version + ", limits: [" + version + " per 1h] }]";
    }

    private static List<String> names(JsonObject live) {
        return live.getJsonArray("rules").stream()
                .map(rule -> ((JsonObject) rule).getString("name"))
                .toList();
    }

    @Test
    void everyClientGetsTheAnswerToItsQuestion() throws Exception {
        ExecutorService clients = Executors.newFixedThreadPool(CLIENTS + 1);
        try (TestAdmin admin = TestAdmin.withTokens(TOKENS)) {
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                int seed = i;
                all.add(clients.submit((Callable<Void>) () -> {
                    Random random = new Random(seed);
                    for (int j = 0; j < REQUESTS; j++) {
                        ask(admin, random);
                    }
                    return null;
                }));
            }
            all.add(clients.submit((Callable<Void>) () -> {
                for (int version = 1; version <= 20; version++) {
                    assertThat(admin.putRules(rules(version), ADA).statusCode()).isEqualTo(200);
                    JsonObject live = new JsonObject(admin.get("/v1/live", BOB).body());
                    assertThat(names(live)).containsExactly("version-" + version);
                }
                return null;
            }));
            for (Future<?> each : all) {
                each.get(50, TimeUnit.SECONDS);
            }
        } finally {
            clients.shutdownNow();
        }
    }

    private static void ask(TestAdmin admin, Random random) throws IOException {
        String[] caller = random.nextBoolean() ? ADA : BOB;
        switch (random.nextInt(7)) {
            case 0 -> {
                JsonObject live = new JsonObject(admin.get("/v1/live", caller).body());
                assertThat(live.fieldNames()).contains("now", "rules", "hotKeys", "store");
            }
            case 1 -> {
                JsonObject figures =
                        new JsonObject(admin.get("/v1/figures", caller).body());
                assertThat(figures.fieldNames()).contains("qps", "availability");
            }
            case 2 -> {
                String span = random.nextBoolean() ? "15m" : "24h";
                String rule = "&rule=version-" + random.nextInt(12);
                JsonObject history = new JsonObject(
                        admin.get("/v1/history?span=" + span + rule, caller).body());
                assertThat(history.getInteger("step")).isEqualTo(span.equals("15m") ? 1 : 60);
                assertThat(history.getJsonObject("series").fieldNames()).contains("shadowed");
            }
            case 3 -> {
                HttpResponse<String> bad = admin.get("/v1/history?span=" + random.nextInt(3), caller);
                assertThat(bad.statusCode()).isEqualTo(400);
            }
            case 4 -> {
                HttpResponse<String> head = admin.send("HEAD", "/v1/live", "", caller);
                assertThat(head.body()).isEmpty();
                assertThat(head.headers().firstValueAsLong("Content-Length").orElse(0))
                        .isPositive();
            }
            case 5 -> {
                HttpResponse<String> stranger = admin.get("/v1/live", "Authorization", "Bearer 0123456789abcdef0124");
                assertThat(stranger.statusCode()).isEqualTo(401);
                assertThat(stranger.body()).doesNotContain("hotKeys");
            }
            default -> hangUp(admin, random.nextInt(12));
        }
    }

    /** Asks, and is gone before the answer is there. */
    private static void hangUp(TestAdmin admin, int rule) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), admin.number())) {
            socket.setSoLinger(true, 0);
            socket.getOutputStream()
                    .write(("GET /v1/history?span=15m&rule=version-" + rule + " HTTP/1.1\r\nHost: localhost\r\n"
                                    + ADA[0] + ": " + ADA[1] + "\r\n\r\n")
                            .getBytes(US_ASCII));
        }
    }
}
