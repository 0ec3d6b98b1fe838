package dev.sluice.server;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
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

/** Clients that ask and do not take the responses cannot fill the memory of the server. */
@Tag("slow")
@Timeout(120)
class UnreadResponsesTest {
    private static final int CONNECTIONS = 60;
    private static final int STREAMS = 1000;
    private static final String TARGET = "/v1/check?path=/x&user=u";
    private static final int SETTINGS = 4;
    private static final int HEADERS = 1;
    private static final int END_STREAM_AND_HEADERS = 5;

    @TempDir
    private Path folder;

    private interface Attack {
        byte[] bytes(int round);
    }

    /** Sends as much as each connection takes and reads nothing; then the server must still answer others. */
    private void survives(int rounds, Attack attack) throws Exception {
        Path rules = folder.resolve("rules.yaml");
        Files.writeString(rules, "rules: [{ name: all, key: [user], limits: [1000000 per 1h] }]");
        List<String> heap = List.of("-Xmx128m", "-XX:+ExitOnOutOfMemoryError");
        List<SocketChannel> clients = new ArrayList<>();
        try (ServeProcess server = ServeProcess.start(heap, Map.of(), "--rules", rules.toString())) {
            for (int i = 0; i < CONNECTIONS; i++) {
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
        survives(80, round -> requests);
    }

    @Test
    void streamsWithoutAWindow() throws Exception {
        survives(1, round -> streams());
    }

    /** A connection whose streams have no window, and as many requests as it may have streams. */
    private static byte[] streams() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(US_ASCII));
        frame(out, SETTINGS, 0, 0, new byte[] {0, 4, 0, 0, 0, 0});
        ByteArrayOutputStream head = new ByteArrayOutputStream();
        field(head, ":method", "GET");
        field(head, ":scheme", "http");
        field(head, ":authority", "x");
        field(head, ":path", TARGET);
        for (int i = 0; i < STREAMS; i++) {
            frame(out, HEADERS, END_STREAM_AND_HEADERS, 2 * i + 1, head.toByteArray());
        }
        return out.toByteArray();
    }

    private static void frame(ByteArrayOutputStream out, int type, int flags, int stream, byte[] payload) {
        ByteBuffer head = ByteBuffer.allocate(9)
                .putInt((payload.length << 8) | type)
                .put((byte) flags)
                .putInt(stream);
        out.writeBytes(head.array());
        out.writeBytes(payload);
    }

    /** A header field as a literal that is not indexed. */
    private static void field(ByteArrayOutputStream out, String name, String value) {
        out.write(0);
        for (String each : List.of(name, value)) {
            out.write(each.length());
            out.writeBytes(each.getBytes(US_ASCII));
        }
    }
}
