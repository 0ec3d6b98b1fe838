package dev.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.redis.servers.Eventually;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** {@code on-exceed: wait} over HTTP. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class WaitingApiTest {
    private static final String RULES = """
            rules:
              - name: paced
                when: { path: /paced }
                key: [user]
                limits: [10 per 1s token-bucket burst=1]
                on-exceed: wait up to 1s
              - name: seats
                when: { path: /seats }
                key: [user]
                limits: [1 at once]
                on-exceed: wait up to 1m
              - name: seats-in-all
                when: { path: /seats }
                limits: [100 per 1h sliding-log]
            """;
    private final Service service = Service.with(RULES);

    @AfterAll
    void close() {
        service.close();
    }

    @Test
    void theAnswerIsHeldUntilItIsTheirTurn() {
        long began = System.nanoTime();
        List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            answers.add(service.getLater("/v1/check?user=a&path=/paced"));
        }
        long allowed = answers.stream()
                .filter(answer -> answer.join().statusCode() == 200)
                .count();
        assertThat(allowed).as("one at once, and ten more within the second").isBetween(9L, 13L);
        assertThat(System.nanoTime() - began).isGreaterThan(700_000_000L);
    }

    /** Who hangs up while waiting takes nothing: the next one gets the seat. */
    @Test
    void whoHangsUpTakesNothing() throws Exception {
        String path = "/v1/check?user=b&path=/seats";
        String hold = Service.object(service.get(path)).getString("hold");
        try (Socket impatient = service.connect()) {
            Service.write(impatient, "GET " + path + " HTTP/1.1\r\nHost: x\r\n\r\n");
            Thread.sleep(200);
            assertThat(impatient.getInputStream().available()).isZero();
        }
        Thread.sleep(200);
        CompletableFuture<HttpResponse<String>> next = service.getLater(path);
        Thread.sleep(100);
        assertThat(next).isNotDone();
        assertThat(service.delete("/v1/holds/" + hold).statusCode()).isEqualTo(204);
        String second = Service.object(next.join()).getString("hold");
        assertThat(service.delete("/v1/holds/" + second).statusCode()).isEqualTo(204);
        Eventually.holds(
                "all seats are free",
                Duration.ofSeconds(5),
                () -> Service.object(service.get(path + "&cost=0"))
                                .getJsonArray("limits")
                                .getJsonObject(0)
                                .getLong("remaining")
                        == 1);
        assertThat(Service.object(service.get(path + "&cost=0"))
                        .getJsonArray("limits")
                        .getJsonObject(1)
                        .getLong("remaining"))
                .as("and of the other rule only those who sat have taken")
                .isEqualTo(98);
    }
}
