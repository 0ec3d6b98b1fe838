package dev.sluice.server;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Readers of the figures of 1,000 rules who do not read, in a small heap: the server goes on for the others. */
@Tag("full")
@Timeout(180)
class PagesUnderLoadTest {
    private static final List<String> PATHS =
            List.of("/v1/live", "/v1/history", "/v1/history?rule=*", "/v1/history?span=24h", "/v1/figures");

    @TempDir
    private Path folder = Path.of("");

    private ServeProcess start() throws IOException {
        Path rules = Files.writeString(
                folder.resolve("rules.yaml"),
                IntStream.range(0, 1000)
                        .mapToObj(i -> "  - { name: rule-" + i + ", when: { path: /" + i
                                + " }, key: [user], limits: [5 per 1h] }\n")
                        .collect(Collectors.joining("", "rules:\n", "")));
        return ServeProcess.start(
                List.of("-Xmx128m", "-XX:+ExitOnOutOfMemoryError"), Map.of(), "--rules", rules.toString());
    }

    private static void survives(ServeProcess server, int connections, int rounds, byte[] bytes) throws Exception {
        List<SocketChannel> clients = new ArrayList<>();
        try {
            for (int i = 0; i < connections; i++) {
                SocketChannel client =
                        SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), server.adminPort()));
                client.configureBlocking(false);
                clients.add(client);
            }
            for (int round = 0; round < rounds; round++) {
                clients.forEach(client -> send(client, ByteBuffer.wrap(bytes)));
                TimeUnit.MILLISECONDS.sleep(200);
            }
            TimeUnit.SECONDS.sleep(3);
            assertThat(server.status("/v1/check?path=/7&user=" + System.nanoTime()))
                    .isEqualTo(200);
            assertThat(new JsonObject(server.admin("/v1/live"))
                            .getJsonArray("rules")
                            .size())
                    .isEqualTo(1000);
        } finally {
            for (SocketChannel client : clients) {
                client.close();
            }
        }
    }

    private static void send(SocketChannel client, ByteBuffer bytes) {
        try {
            for (int tries = 0; bytes.hasRemaining() && tries < 20; tries++) {
                client.write(bytes);
            }
        } catch (IOException e) {
            // closed, as it should be
        }
    }

    @Test
    void aHundredWhoNeverRead() throws Exception {
        try (ServeProcess server = start()) {
            for (int i = 0; i < 1000; i++) {
                server.status("/v1/check?path=/" + i + "&user=u");
            }
            for (String path : PATHS) {
                byte[] requests = ("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n")
                        .repeat(20)
                        .getBytes(US_ASCII);
                survives(server, 100, 3, requests);
            }
        }
    }

    /** Each asks once, so that no later request makes the server look at what it keeps for the connection. */
    @Test
    void manyWhoAskOnceAndNeverRead() throws Exception {
        try (ServeProcess server = start()) {
            survives(server, 1000, 1, "GET /v1/live HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(US_ASCII));
        }
    }

    /** Those who wait for the same figures share one answer: otherwise each stream would keep its own. */
    @Test
    void streamsWithoutAWindow() throws Exception {
        try (ServeProcess server = start()) {
            for (String path : PATHS) {
                Http2Frames frames = Http2Frames.connect(new byte[] {0, 4, 0, 0, 0, 0});
                for (int i = 0; i < 100; i++) {
                    frames.request(2 * i + 1, Http2Frames.END_STREAM, "GET", path);
                }
                survives(server, 20, 1, frames.bytes());
            }
        }
    }
}
