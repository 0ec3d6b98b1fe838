package dev.sluice.server;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.redis.servers.Eventually;
import dev.sluice.server.web.Bounds;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Connections that make the server keep too much are closed, and counted by what they made it keep. */
@Timeout(60)
class ConnectionMemoryBoundsTest {
    private static final String RULES = """
            rules:
              - { name: slow, when: { path: /slow }, limits: [1 at once], on-exceed: wait up to 5m, lease: 5m }
            """;
    private static final Duration SOON = Duration.ofSeconds(20);
    private static final String WAITS = "GET /v1/check?path=/slow HTTP/1.1\r\nHost: x\r\n\r\n";
    private static final String SHORT = "GET / HTTP/1.1\r\n\r\n";
    /** Settings: the window of each stream. */
    private static final byte[] NO_WINDOW = {0, 4, 0, 0, 0, 0};

    /** One connection may take 256 KB, and all together 1 MB. */
    private final Service service =
            new Service(Service.settings(RULES).bounds(Bounds.DEFAULTS.withUnfinishedBytes(512 << 10, 128 << 10)));

    private final List<Socket> clients = new ArrayList<>();

    @AfterEach
    void stop() throws IOException {
        for (Socket client : clients) {
            client.close();
        }
        service.close();
    }

    private Socket client() throws IOException {
        Socket client = service.connect();
        clients.add(client);
        return client;
    }

    /** Sends as much as goes: the connection may be closed meanwhile. */
    private static void send(Socket client, byte[] bytes) {
        try {
            client.getOutputStream().write(bytes);
        } catch (IOException closed) {
            // as it should be
        }
    }

    private long closed(String use) {
        String name = "sluice_http_connections_closed_total{use=\"" + use + "\"} ";
        URI metrics = URI.create("http://127.0.0.1:" + service.server().adminPort() + "/metrics");
        return service.send(HttpRequest.newBuilder(metrics))
                .body()
                .lines()
                .filter(line -> line.startsWith(name))
                .mapToLong(line -> (long) Double.parseDouble(line.substring(name.length())))
                .findFirst()
                .orElseThrow();
    }

    private void awaitClosed(String use) {
        Eventually.holds(use, SOON, () -> closed(use) > 0, () -> "" + closed(use));
    }

    @Test
    void requestsBehindOneThatWaits() throws Exception {
        service.get("/v1/check?path=/slow");
        Socket client = client();
        String answered = SHORT.repeat(3000); // with more at hand than it reads, the server reads more at a time
        send(client, (answered + WAITS + SHORT.repeat(2000)).getBytes(US_ASCII));
        awaitClosed("pipelined");
        assertThat(Service.rest(client)).doesNotContain("200 OK");
    }

    /** Each takes less than a connection may, and all together more than they may. */
    @Test
    void fewerOnManyConnections() throws Exception {
        service.get("/v1/check?path=/slow");
        for (int i = 0; i < 40; i++) {
            send(client(), (WAITS + SHORT.repeat(200)).getBytes(US_ASCII));
        }
        awaitClosed("pipelined");
        assertThat(service.get("/healthz").statusCode()).isEqualTo(200);
    }

    /** What was taken for requests that have been answered is not held against a connection. */
    @Test
    void requestsThatWereAnswered() throws Exception {
        for (int i = 0; i < 20; i++) {
            String hold = Service.object(service.get("/v1/check?path=/slow")).getString("hold");
            Socket client = client();
            send(client, (WAITS + SHORT.repeat(200)).getBytes(US_ASCII));
            assertThat(service.delete("/v1/holds/" + hold).statusCode()).isEqualTo(204);
            byte[] first = client.getInputStream().readNBytes(15);
            assertThat(first).asString(US_ASCII).isEqualTo("HTTP/1.1 200 OK");
            send(client, "GET /last HTTP/1.1\r\nConnection: close\r\n\r\n".getBytes(US_ASCII));
            String rest = Service.rest(client);
            assertThat(rest).contains("there is nothing at /last");
            int begin = rest.indexOf("\"hold\":\"") + 8;
            service.delete("/v1/holds/" + rest.substring(begin, rest.indexOf('"', begin)));
        }
        assertThat(closed("pipelined")).isZero();
    }

    @Test
    void streamsWithoutAWindow() throws Exception {
        Http2Frames frames = Http2Frames.connect(NO_WINDOW);
        for (int i = 0; i < 40; i++) {
            frames.request(2 * i + 1, Http2Frames.END_STREAM, "GET", "/v1/check");
        }
        send(client(), frames.bytes());
        awaitClosed("streams");
    }

    /** Asked for a few at a time, so that the responses take more than the requests behind them. */
    @Test
    void responsesThatNobodyReads() throws Exception {
        byte[] requests = "GET /openapi.yaml HTTP/1.1\r\n\r\n".repeat(20).getBytes(US_ASCII);
        for (int i = 0; i < 20; i++) {
            Socket client = new Socket();
            clients.add(client);
            client.setReceiveBufferSize(4096);
            client.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), service.port()));
        }
        Eventually.holds("responses", SOON, () -> {
            clients.forEach(client -> send(client, requests));
            return closed("responses") > 0;
        });
    }
}
