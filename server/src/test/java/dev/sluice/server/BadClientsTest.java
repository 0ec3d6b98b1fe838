package dev.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.redis.servers.Eventually;
import dev.sluice.server.web.Bounds;
import java.io.IOException;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Clients that send too much, too slowly, or something else altogether. Whatever they do, the server goes on. */
class BadClientsTest {
    private static final Duration TIMEOUT = Duration.ofMillis(400);
    private static final int CONNECTIONS = 40;
    private static final String HOST = "Host: x\r\n";

    private final Service service = new Service(Service.settings("rules: []")
            .bounds(Bounds.DEFAULTS.withConnections(CONNECTIONS).withRequestTimeout(TIMEOUT)));

    @AfterEach
    void itGoesOn() {
        try (service) {
            assertThat(service.get("/v1/check?ip=203.0.113.9").statusCode()).isEqualTo(200);
        }
    }

    @Test
    void aLineThatIsTooLong() throws IOException {
        String answer = service.raw("GET /v1/check?a=" + "x".repeat(9000) + " HTTP/1.1\r\n" + HOST + "\r\n");
        refused(answer, 414, "the request line has at most 8192 bytes");
    }

    @ParameterizedTest
    @CsvSource({"1,1000000", "1,20000", "300,100"})
    void headersThatAreTooLong(int count, int length) throws IOException {
        StringBuilder request = new StringBuilder("GET /v1/check?ip=1.2.3.4 HTTP/1.1\r\n" + HOST);
        for (int i = 0; i < count; i++) {
            request.append("X-")
                    .append(i)
                    .append(": ")
                    .append("x".repeat(length))
                    .append("\r\n");
        }
        refused(service.raw(request + "\r\n"), 431, "the header fields have at most 16384 bytes together");
    }

    @Test
    void aBodyThatSaysItIsTooLong() throws IOException {
        String answer = service.raw("POST /v1/check HTTP/1.1\r\n" + HOST + "Content-Length: 2000000\r\n\r\n");
        refused(answer, 413, "the body has at most 1048576 bytes, this one 2000000");
        answer = service.raw("POST /v1/check HTTP/1.1\r\n" + HOST + "Content-Length: 99999999999999\r\n\r\n");
        refused(answer, 413, "the body has at most 1048576 bytes, this one 99999999999999");
    }

    @Test
    void aBodyThatTurnsOutTooLong() throws IOException {
        String chunk = "10000\r\n" + "x".repeat(0x10000) + "\r\n";
        String answer = service.raw(
                "POST /v1/check HTTP/1.1\r\n" + HOST + "Transfer-Encoding: chunked\r\n\r\n" + chunk.repeat(17));
        refused(answer, 413, "the body has at most 1048576 bytes");
    }

    @ParameterizedTest
    @CsvSource({
        "'hello\r\n\r\n'",
        "'GET\r\n\r\n'",
        "'GET /healthz HTTP/1.1\r\nno colon here\r\n\r\n'",
        "'\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003\r\n\r\n'",
        "'POST /v1/check HTTP/1.1\r\nContent-Length: -5\r\n\r\n'",
        "'POST /v1/check HTTP/1.1\r\nContent-Length: ten\r\n\r\n'",
        "'POST /v1/check HTTP/1.1\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabc'",
    })
    void whatIsNotHttp(String request) throws IOException {
        assertThat(service.raw(request))
                .matches("(?s)HTTP/1.[01] 400 Bad Request\r\n.*")
                .contains("application/problem+json");
    }

    @Test
    void aBadChunkEndsTheConnection() throws IOException {
        String answer = service.raw(
                "POST /v1/check HTTP/1.1\r\n" + HOST + "Transfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n0\r\n\r\n");
        assertThat(answer).doesNotContain("200 OK");
    }

    /** One byte now and then: never idle, and never done. */
    @Test
    void aHeadThatComesInDrops() throws Exception {
        try (Socket socket = service.connect()) {
            String head = "GET /healthz HTTP/1.1\r\nX-Slow: ";
            StringBuilder answer = new StringBuilder();
            long began = System.nanoTime();
            for (int i = 0; answer.isEmpty() && System.nanoTime() - began < 15_000_000_000L; i++) {
                Service.write(socket, i < head.length() ? head.substring(i, i + 1) : "x");
                Thread.sleep(20);
                if (socket.getInputStream().available() > 0) {
                    answer.append(Service.rest(socket));
                }
            }
            refused(answer.toString(), 408, "the head of a request was not complete after 400 ms");
        }
    }

    @Test
    void theSecondHeadComesInDrops() throws Exception {
        try (Socket socket = service.connect()) {
            Service.write(socket, "GET /healthz HTTP/1.1\r\n" + HOST + "\r\n");
            assertThat(socket.getInputStream().readNBytes(15)).asString().isEqualTo("HTTP/1.1 200 OK");
            Service.write(socket, "GET /hea");
            assertThat(Service.rest(socket)).contains("408 Request Timeout");
        }
    }

    @Test
    void aBodyThatDoesNotCome() throws Exception {
        try (Socket socket = service.connect()) {
            Service.write(socket, "POST /v1/check HTTP/1.1\r\n" + HOST + "Content-Length: 100\r\n\r\n{\"attr");
            refused(Service.rest(socket), 408, "the body was not complete after 400 ms");
        }
    }

    /** What is slow between requests is no matter. */
    @Test
    void aConnectionMayRest() throws Exception {
        try (Socket socket = service.connect()) {
            for (int i = 0; i < 3; i++) {
                Service.write(socket, "GET /healthz HTTP/1.1\r\n" + HOST + "\r\n");
                byte[] line = socket.getInputStream().readNBytes(15);
                assertThat(line).asString().isEqualTo("HTTP/1.1 200 OK");
                Thread.sleep(TIMEOUT.toMillis() * 2);
                socket.getInputStream().skipNBytes(socket.getInputStream().available());
            }
        }
    }

    @Test
    void whoSendsAllAndClosesHisHalfGetsAnAnswer() throws Exception {
        try (Socket socket = service.connect()) {
            Service.write(socket, "GET /v1/check?ip=1.2.3.4 HTTP/1.1\r\n" + HOST + "\r\n");
            socket.shutdownOutput();
            assertThat(Service.rest(socket)).startsWith("HTTP/1.1 200 OK").contains("\"allowed\":true");
        }
    }

    @Test
    void whoClosesHisHalfTooEarlyGetsNone() throws Exception {
        for (String part : List.of("", "GET /v1/ch", "POST /v1/check HTTP/1.1\r\nContent-Length: 9\r\n\r\n{")) {
            try (Socket socket = service.connect()) {
                Service.write(socket, part);
                socket.shutdownOutput();
                assertThat(Service.rest(socket)).isEmpty();
            }
        }
    }

    @Test
    void manyRequestsInOneGo() throws Exception {
        try (Socket socket = service.connect()) {
            Service.write(socket, ("GET /v1/check?ip=1.2.3.4 HTTP/1.1\r\n" + HOST + "\r\n").repeat(500));
            Service.write(socket, "GET /healthz HTTP/1.1\r\nConnection: close\r\n" + HOST + "\r\n");
            assertThat(Service.rest(socket).split("HTTP/1.1 200 OK", -1)).hasSize(502);
        }
    }

    @Test
    void thereAreOnlySoManyConnections() throws Exception {
        List<Socket> sockets = new ArrayList<>();
        try {
            for (int i = 0; i < CONNECTIONS; i++) {
                sockets.add(service.connect());
                Service.write(sockets.get(i), "GET /healthz HTTP/1.1\r\n" + HOST + "\r\n");
                assertThat(sockets.get(i).getInputStream().readNBytes(15))
                        .asString()
                        .isEqualTo("HTTP/1.1 200 OK");
            }
            try (Socket oneMore = service.connect()) {
                assertThat(Service.rest(oneMore)).isEmpty();
            }
        } finally {
            for (Socket socket : sockets) {
                socket.close();
            }
        }
        Eventually.holds("there is room again", Duration.ofSeconds(5), () -> {
            try {
                return service.raw("GET /healthz HTTP/1.1\r\nConnection: close\r\n" + HOST + "\r\n")
                        .startsWith("HTTP/1.1 200 OK");
            } catch (IOException e) {
                return false;
            }
        });
    }

    private static void refused(String answer, int status, String detail) {
        assertThat(answer).matches("(?s)HTTP/1.[01] " + status + " .*");
        assertThat(answer.toLowerCase(java.util.Locale.ROOT)).contains("content-type: application/problem+json");
        assertThat(answer).contains("\"status\":" + status + ",\"detail\":\"" + detail + "\"");
    }
}
