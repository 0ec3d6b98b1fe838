package dev.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.redis.servers.Eventually;
import dev.sluice.server.RawClient.Response;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A server that stops while a plain check waits: it has its response, and nothing behind it is served. */
@Timeout(60)
class DirectStopTest {
    private static final String RULES = """
            rules:
              - { name: paced, when: { path: /paced }, limits: [1 per 1s token-bucket], on-exceed: wait up to 1m }
              - { name: seat, when: { path: /seat }, limits: [1 at once], on-exceed: wait up to 5m }
              - { name: free, when: { path: /free }, limits: [10 per 1h] }
              - { name: queue, when: { path: /queue }, limits: [1 per 1h leaky-bucket capacity=9 queue] }
            """;
    private static final String FREE = get("/v1/check?path=/free");

    private static String get(String target) {
        return "GET " + target + " HTTP/1.1\r\nHost: x\r\n\r\n";
    }

    /** On a thread of its own: the pool of the JVM may have only one, and those who wait for permits need it. */
    private static CompletableFuture<Void> stop(Service service) {
        return CompletableFuture.runAsync(service::close, task -> new Thread(task, "stop").start());
    }

    private static void endsWith(RawClient client, int status) throws Exception {
        Response last = Objects.requireNonNull(client.next());
        assertThat(last.status()).isEqualTo(status);
        assertThat(last.field("connection")).isEqualTo("close");
        assertThat(client.next()).isNull();
        client.socket().close(); // or the server waits a moment for it
    }

    /** With so many requests behind it. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 3, 4, 5, 1000})
    void whileItDrains(int behind) throws Exception {
        Service service = new Service(Service.settings(RULES).drain(Duration.ofSeconds(2)));
        try (RawClient client = RawClient.of(service);
                RawClient idle = RawClient.of(service)) {
            idle.send(get("/healthz"));
            assertThat(idle.next()).isNotNull();
            client.send(get("/v1/check?path=/paced"));
            assertThat(Objects.requireNonNull(client.next()).field("connection"))
                    .isEmpty();
            client.send(get("/v1/check?path=/paced") + FREE.repeat(behind));
            Thread.sleep(200); // until it waits
            long began = System.nanoTime();
            CompletableFuture<Void> stopped = stop(service);
            endsWith(client, 200);
            assertThat(stopped).isNotDone();
            idle.send(FREE);
            Response free = Objects.requireNonNull(idle.next());
            assertThat(free.field("RateLimit")).startsWith("\"free\";r=9;");
            assertThat(free.field("connection")).isEqualTo("close");
            assertThat(idle.next()).isNull();
            idle.socket().close();
            stopped.join();
            assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofMillis(3500));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 1000})
    void whileItStops(int behind) throws Exception {
        Service service = Service.with(RULES);
        try (RawClient client = RawClient.of(service)) {
            client.send(get("/v1/check?path=/paced") + get("/v1/check?path=/paced") + FREE.repeat(behind));
            assertThat(client.next()).isNotNull();
            Thread.sleep(200); // until the second waits
            long began = System.nanoTime();
            CompletableFuture<Void> stopped = stop(service);
            endsWith(client, 200);
            stopped.join();
            assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofMillis(2500));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "Content-Length: 0\r\n"})
    void whoWaitsForTooLongIsDenied(String field) throws Exception {
        Service service = new Service(Service.settings(RULES).grace(Duration.ofMillis(300)));
        service.get("/v1/check?path=/seat");
        try (RawClient client = RawClient.of(service)) {
            client.send("GET /v1/check?path=/seat HTTP/1.1\r\n" + field + "\r\n");
            Eventually.holds(
                    "it has come",
                    Duration.ofSeconds(10),
                    () -> service.metric("sluice_http_connections{port=\"data\"}") == 2);
            long began = System.nanoTime();
            CompletableFuture<Void> stopped = stop(service);
            endsWith(client, 429);
            stopped.join();
            assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofMillis(2500));
        }
    }

    /** A response that a queue delays is not a wait that can be denied; the stop does not take longer for it. */
    @ParameterizedTest
    @ValueSource(strings = {"", "Content-Length: 0\r\n"})
    void whatTakesTooLongIsCutOff(String field) throws Exception {
        Service service = new Service(Service.settings(RULES).grace(Duration.ofMillis(300)));
        String nginx = "GET /nginx HTTP/1.1\r\nX-Original-URI: /queue\r\n" + field + "\r\n";
        try (RawClient client = RawClient.of(service)) {
            client.send(nginx);
            assertThat(Objects.requireNonNull(client.next()).status()).isEqualTo(204);
            client.send(nginx);
            Eventually.holds(
                    "it waits",
                    Duration.ofSeconds(10),
                    () -> service.get("/v1/check?cost=0&path=/queue").body().contains("\"remaining\":7"));
            long began = System.nanoTime();
            CompletableFuture<Void> stopped = stop(service);
            assertThat(client.next()).isNull();
            client.socket().close();
            stopped.join();
            assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(4));
        }
    }

    @Test
    void aConnectionWithoutARequestEndsAtOnce() throws Exception {
        Service service = Service.with(RULES);
        try (RawClient client = RawClient.of(service)) {
            client.send(FREE);
            assertThat(client.next()).isNotNull();
            long began = System.nanoTime();
            CompletableFuture<Void> stopped = stop(service);
            assertThat(client.next()).isNull();
            client.socket().close();
            stopped.join();
            assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofMillis(2500));
        }
    }
}
