package dev.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.redis.servers.Eventually;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Many ask for simulations at once, some leave, some never read: what waits is bounded, and the next one is served. */
@Tag("full")
class PlaygroundFloodTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final String HEAVY =
            "/simulate.json?permits=300&per=1m&traffic=flash-sale&duration=4m&algorithm=all&width=860";
    private static final String LIGHT = "/simulate.json?permits=2&duration=20s";

    private final Service service = Service.with("rules: []");

    @AfterEach
    void stop() {
        service.close();
    }

    private CompletableFuture<HttpResponse<String>> ask(String path) {
        return service.sendLater(HttpRequest.newBuilder(
                URI.create("http://127.0.0.1:" + service.server().adminPort() + path)));
    }

    @Test
    void aFloodGetsAClearRefusal() {
        List<CompletableFuture<HttpResponse<String>>> all =
                IntStream.range(0, 200).mapToObj(i -> ask(HEAVY)).toList();
        List<HttpResponse<String>> answers =
                all.stream().map(CompletableFuture::join).toList();
        assertThat(answers)
                .extracting(HttpResponse::statusCode)
                .containsOnly(200, 503)
                .contains(200, 503);
        assertThat(answers).filteredOn(answer -> answer.statusCode() == 503).allSatisfy(answer -> {
            assertThat(Service.detail(answer)).contains("too many simulations");
            assertThat(answer.headers().firstValue("Retry-After")).hasValue("2");
        });
        assertThat(ask(LIGHT).join().statusCode()).isEqualTo(200);
        assertThat(ask("/capacity.json?qps=100").join().statusCode()).isEqualTo(200);
    }

    /** A hundred who leave at once cost no more than the one whose simulation is under way. */
    @Test
    void whoLeavesIsNotSimulatedFor() throws IOException {
        for (int round = 0; round < 10; round++) {
            List<Socket> sockets = new ArrayList<>();
            for (int i = 0; i < 16; i++) {
                Socket socket = new Socket(
                        InetAddress.getLoopbackAddress(), service.server().adminPort());
                Service.write(socket, "GET " + HEAVY + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
                sockets.add(socket);
            }
            for (Socket socket : sockets) {
                socket.close();
            }
        }
        Eventually.holds("somebody is served", PATIENCE, () -> ask(LIGHT).join().statusCode() == 200);
    }

    /** Those who do not read have their places until they are cut off, and no more than that. */
    @Test
    void whoNeverReadsTakesNoMoreThanAPlace() throws IOException {
        List<Socket> sockets = new ArrayList<>();
        try {
            for (int i = 0; i < 12; i++) {
                Socket socket = new Socket(
                        InetAddress.getLoopbackAddress(), service.server().adminPort());
                Service.write(socket, ("GET " + HEAVY + " HTTP/1.1\r\nHost: localhost\r\n\r\n").repeat(8));
                sockets.add(socket);
            }
            Eventually.holds(
                    "somebody is served", PATIENCE, () -> ask(LIGHT).join().statusCode() == 200);
        } finally {
            for (Socket socket : sockets) {
                socket.close();
            }
        }
    }
}
