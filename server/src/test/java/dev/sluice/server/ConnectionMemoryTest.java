package dev.sluice.server;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Clients that ask and do not take the responses, or ask for more meanwhile, cannot fill the memory of the server. */
@Tag("full")
@Timeout(120)
class ConnectionMemoryTest {
    private static final String RULES = """
            rules:
              - { name: all, key: [user], limits: [1000000 per 1h] }
              - { name: slow, when: { path: /slow }, limits: [1 at once], on-exceed: wait up to 5m, lease: 5m }
            """;
    private static final int CONNECTIONS = 60;
    private static final int STREAMS = 1000;
    private static final String TARGET = "/v1/check?path=/x&user=u";

    @TempDir
    private Path folder;

    private interface Attack {
        byte[] bytes(int round);
    }

    /** Sends as much as each connection takes and reads nothing; then the server must still answer others. */
    private void survives(int connections, int rounds, Attack attack) throws Exception {
        Path rules = folder.resolve("rules.yaml");
        Files.writeString(rules, RULES);
        List<String> heap = List.of("-Xmx128m", "-XX:+ExitOnOutOfMemoryError");
        List<SocketChannel> clients = new ArrayList<>();
        try (ServeProcess server = ServeProcess.start(heap, Map.of(), "--rules", rules.toString())) {
            for (int i = 0; i < connections; i++) {
                clients.add(SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port())));
                clients.get(i).configureBlocking(false);
            }
            for (int round = 0; round < rounds; round++) {
                byte[] bytes = attack.bytes(round);
                for (SocketChannel client : clients) {
                    send(client, ByteBuffer.wrap(bytes));
                }
                TimeUnit.MILLISECONDS.sleep(100);
            }
            TimeUnit.SECONDS.sleep(2);
            assertThat(server.status(TARGET)).isEqualTo(200);
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
    void requestsOneAfterAnother() throws Exception {
        byte[] requests = ("GET " + TARGET + " HTTP/1.1\r\nHost: x\r\n\r\n")
                .repeat(STREAMS)
                .getBytes(US_ASCII);
        survives(CONNECTIONS, 80, round -> requests);
    }

    /** The shortest requests, which take the most memory for their bytes. */
    @Test
    void requestsBehindOneThatWaits() throws Exception {
        String several = "GET / HTTP/1.1\r\n\r\n".repeat(2 * STREAMS);
        byte[] requests =
                (several + "GET /v1/check?path=/slow HTTP/1.1\r\nHost: x\r\n\r\n" + several).getBytes(US_ASCII);
        survives(10 * CONNECTIONS, 3, round -> requests);
    }

    @Test
    void streamsWithoutAWindow() throws Exception {
        survives(CONNECTIONS, 1, round -> streams());
    }

    /** A connection whose streams have no window, and as many requests as it may have streams. */
    private static byte[] streams() {
        Http2Frames frames = Http2Frames.connect(new byte[] {0, 4, 0, 0, 0, 0});
        for (int i = 0; i < STREAMS; i++) {
            frames.request(2 * i + 1, Http2Frames.END_STREAM, "GET", TARGET);
        }
        return frames.bytes();
    }
}
