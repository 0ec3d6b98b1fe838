package dev.sluice.server.web;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Bodies over HTTP/1.1, byte by byte. */
class BodyReaderTest {
    private static final int MAX_BYTES = 10;
    private static final Duration TIMEOUT = Duration.ofMillis(300);
    private static final String HEAD = "POST / HTTP/1.1\r\nHost: x\r\n";

    private final Vertx vertx = Vertx.vertx();
    private final BodyReader bodies = new BodyReader(vertx, MAX_BYTES, TIMEOUT, new BodyBudget(Bounds.DEFAULTS));
    private final BlockingQueue<String> results = new LinkedBlockingQueue<>();
    private HttpServer server;

    @BeforeEach
    void start() throws Exception {
        server = vertx.createHttpServer()
                .requestHandler(this::handle)
                .listen(0, "127.0.0.1")
                .toCompletionStage()
                .toCompletableFuture()
                .get(10, TimeUnit.SECONDS);
    }

    @AfterEach
    void stop() {
        vertx.close().toCompletionStage().toCompletableFuture().join();
    }

    private void handle(HttpServerRequest request) {
        (request.uri().equals("/checked") ? bodies.read(request, BodyReaderTest::mustBeginWithA) : bodies.read(request))
                .onComplete(read -> {
                    if (read.succeeded()) {
                        results.add("body " + read.result());
                        request.response().end("got " + read.result());
                    } else if (read.cause() instanceof HttpProblem problem) {
                        results.add("problem " + problem.status());
                        problem.send(request);
                    } else {
                        results.add("gone");
                    }
                });
    }

    private static void mustBeginWithA(Buffer soFar) {
        if (soFar.getByte(0) != 'a') {
            throw HttpProblem.of(422, "must begin with a");
        }
    }

    @Test
    void inOnePartOrMany() throws Exception {
        try (Socket socket = connect()) {
            write(socket, HEAD + "Content-Length: 10\r\n\r\n0123456789");
            assertThat(results.poll(10, TimeUnit.SECONDS)).isEqualTo("body 0123456789");
            write(socket, HEAD + "Transfer-Encoding: chunked\r\n\r\n");
            for (String part : new String[] {"a", "b", "c"}) {
                write(socket, "1\r\n" + part + "\r\n");
                Thread.sleep(20);
            }
            write(socket, "0\r\n\r\n");
            assertThat(results.poll(10, TimeUnit.SECONDS)).isEqualTo("body abc");
        }
    }

    @Test
    void aClientMayAskFirst() throws Exception {
        try (Socket socket = connect()) {
            write(socket, HEAD + "Content-Length: 1\r\nExpect: 100-continue\r\n\r\n");
            assertThat(socket.getInputStream().readNBytes(21)).asString().startsWith("HTTP/1.1 100 Continue");
            write(socket, "x");
            assertThat(results.poll(10, TimeUnit.SECONDS)).isEqualTo("body x");
        }
        try (Socket socket = connect()) {
            write(socket, HEAD + "Content-Length: 11\r\nExpect: 100-continue\r\n\r\n");
            assertThat(rest(socket))
                    .startsWith("HTTP/1.1 413 Request Entity Too Large")
                    .contains("connection: close")
                    .contains("the body has at most 10 bytes, this one 11");
        }
    }

    /** Otherwise the bytes that nobody reads would destroy the response. */
    @Test
    void theRestOfABodyThatIsTooLargeIsDiscarded() throws Exception {
        try (Socket socket = connect()) {
            write(socket, HEAD + "Content-Length: 5000000\r\n\r\n" + "x".repeat(5_000_000));
            assertThat(rest(socket)).startsWith("HTTP/1.1 413").contains("this one 5000000");
        }
        assertThat(results).containsExactly("problem 413");
    }

    /** A client that does not stop sending is cut off when the time for a body is over. */
    @Test
    void notForEver() throws Exception {
        try (Socket socket = connect()) {
            write(socket, HEAD + "Transfer-Encoding: chunked\r\n\r\n");
            long began = System.nanoTime();
            boolean open = true;
            while (open && System.nanoTime() - began < 15_000_000_000L) {
                try {
                    write(socket, "10\r\n0123456789abcdef\r\n");
                    Thread.sleep(20);
                } catch (SocketException cut) {
                    open = false;
                }
            }
            assertThat(open).isFalse();
        }
        assertThat(results).containsExactly("problem 413");
    }

    @Test
    void whoeverReadsMayRefuseEarly() throws Exception {
        try (Socket socket = connect()) {
            write(socket, HEAD.replace("POST /", "POST /checked") + "Content-Length: 3\r\n\r\nb");
            assertThat(results.poll(10, TimeUnit.SECONDS)).isEqualTo("problem 422");
            write(socket, "cd");
            assertThat(rest(socket)).contains("must begin with a");
        }
        assertThat(results).isEmpty();
    }

    @Test
    void aClientThatGoesAway() throws Exception {
        try (Socket socket = connect()) {
            write(socket, HEAD + "Content-Length: 3\r\n\r\nb");
        }
        assertThat(results.poll(10, TimeUnit.SECONDS)).isEqualTo("gone");
    }

    private Socket connect() throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.actualPort());
        socket.setSoTimeout(20_000);
        return socket;
    }

    private static void write(Socket socket, String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(ISO_8859_1));
        socket.getOutputStream().flush();
    }

    private static String rest(Socket socket) throws IOException {
        return new String(socket.getInputStream().readAllBytes(), ISO_8859_1);
    }
}
