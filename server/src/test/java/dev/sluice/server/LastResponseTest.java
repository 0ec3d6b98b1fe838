package dev.sluice.server;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.redis.servers.Eventually;
import dev.sluice.server.web.Bounds;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A client that is still sending when its connection is closed can read the response: the connection ends, and is not reset
 * under its hands.
 */
@Timeout(60)
class LastResponseTest {
    private static final int STREAMS = 900;

    private final Service service = new Service(Service.settings("rules: []")
            .bounds(Bounds.DEFAULTS.withRequestTimeout(Duration.ofSeconds(30)).withUnfinishedBytes(16 << 20, 2 << 20)));

    @AfterEach
    void stop() {
        service.close();
    }

    private static String readToEnd(Socket socket) throws IOException {
        return new String(socket.getInputStream().readAllBytes(), US_ASCII); // throws if it is reset
    }

    @Test
    void aHeadThatIsTooLong() throws Exception {
        try (Socket socket = service.connect()) {
            OutputStream out = socket.getOutputStream();
            out.write("GET /healthz HTTP/1.1\r\nHost: x\r\nX-Long: ".getBytes(US_ASCII));
            byte[] part = "x".repeat(16 << 10).getBytes(US_ASCII);
            for (int i = 0; i < 128; i++) {
                out.write(part);
            }
            assertThat(readToEnd(socket)).startsWith("HTTP/1.1 431 ").contains("at most 16384 bytes together");
        }
    }

    @Test
    void aBodyThatIsTooLongOnAPathWithoutOne() throws Exception {
        try (Socket socket = service.connect()) {
            Service.write(
                    socket,
                    "POST /nothing HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 3000000\r\n\r\n"
                            + "x".repeat(3_000_000));
            assertThat(readToEnd(socket)).startsWith("HTTP/1.1 404 ");
        }
    }

    /** Past its share of unfinished bodies, with most of what it sent unread. */
    @Test
    void streamsThatDoNotEnd() throws Exception {
        Http2Frames frames = Http2Frames.connect();
        for (int i = 0; i < STREAMS; i++) {
            frames.request(2 * i + 1, 0, "POST", "/v1/check");
        }
        List<Http2Frames.Frame> received = new ArrayList<>();
        try (Socket socket = service.connect()) {
            socket.getOutputStream().write(frames.bytes());
            InputStream in = socket.getInputStream();
            for (Http2Frames.Frame next; (next = Http2Frames.next(in)) != null; ) {
                received.add(next);
            }
        }
        assertThat(received).extracting(Http2Frames.Frame::type).contains(Http2Frames.HEADERS, Http2Frames.GOAWAY);
    }

    /** The end of what a client sends comes with its request, or right after it. */
    @Test
    void whoEndsItsSideWithTheRequest() throws Exception {
        for (int round = 0; round < 20; round++) {
            List<Socket> sockets = new ArrayList<>();
            for (int i = 0; i < 64; i++) { // so many that the server finds both at once
                sockets.add(service.connect());
            }
            for (int i = 0; i < sockets.size(); i++) {
                String path = i % 2 == 0 ? "/v1/check?ip=203.0.113.9" : "/healthz"; // directly, and by way of Vert.x
                Service.write(sockets.get(i), "GET " + path + " HTTP/1.1\r\nHost: x\r\n\r\n");
                sockets.get(i).shutdownOutput();
            }
            for (Socket socket : sockets) {
                assertThat(readToEnd(socket)).startsWith("HTTP/1.1 200 ");
                socket.close();
            }
        }
    }

    /** It reads its response to the end, and keeps its own end open. */
    @Test
    void whoDoesNotCloseIsClosed() throws Exception {
        try (Socket socket = service.connect()) {
            Service.write(socket, "nonsense\r\n\r\n");
            assertThat(readToEnd(socket)).contains(" 400 Bad Request");
            Eventually.holds("the socket is gone", Duration.ofSeconds(20), () -> {
                try {
                    Service.write(socket, "x");
                    return false;
                } catch (IOException reset) {
                    return true;
                }
            });
        }
    }

    @Test
    void whoNeverStopsSendingIsCutOff() throws Exception {
        try (Socket socket = service.connect()) {
            Service.write(socket, "nonsense\r\n\r\n");
            byte[] part = new byte[64 << 10];
            long sent = 0;
            try {
                while (true) {
                    socket.getOutputStream().write(part);
                    sent += part.length;
                }
            } catch (IOException reset) {
                assertThat(sent).as("with what the sockets hold").isLessThan(64 << 20);
            }
        }
    }
}
