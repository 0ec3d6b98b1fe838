package dev.sluice.server.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What answers at the URL of an admin port may be anything, and may stop at any byte. */
@Timeout(60)
class AdminClientTest {
    private static final Duration TIMEOUT = Duration.ofMillis(200);
    private static final Duration PATIENT = Duration.ofSeconds(20);
    private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n";

    /** Answers every request with the same bytes, as often as it is told, and then says nothing. */
    private static final class Stalling implements Closeable {
        private final ServerSocket listener;
        private final byte[] head;
        private final byte[] piece;
        private final long pieces;

        Stalling(String head, String piece, long pieces) throws IOException {
            this.listener = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
            this.head = head.getBytes(US_ASCII);
            this.piece = piece.getBytes(US_ASCII);
            this.pieces = pieces;
            start(this::accept);
        }

        private static void start(Runnable task) {
            Thread thread = new Thread(task, "stalling-server");
            thread.setDaemon(true);
            thread.start();
        }

        private void accept() {
            try {
                while (true) {
                    Socket socket = listener.accept();
                    start(() -> answer(socket));
                }
            } catch (IOException closed) {
                // the test is over
            }
        }

        private void answer(Socket socket) {
            try (socket) {
                InputStream in = socket.getInputStream();
                int ends = 0;
                while (ends < 4) {
                    ends = in.read() == "\r\n\r\n".charAt(ends) ? ends + 1 : 0;
                }
                socket.getOutputStream().write(head);
                for (long i = 0; i < pieces; i++) {
                    socket.getOutputStream().write(piece);
                }
                in.read(); // until the client hangs up
            } catch (IOException hungUp) {
                // so it has
            }
        }

        AdminClient client(Duration timeout) {
            return new AdminClient("http://127.0.0.1:" + listener.getLocalPort(), null, timeout);
        }

        @Override
        public void close() {
            try {
                listener.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "HTTP/1.1 200", "HTTP/1.1 200 OK\r\nContent-Le"})
    void aServerThatStopsInTheHeadIsNotWaitedFor(String head) throws IOException {
        try (Stalling server = new Stalling(head, "", 0)) {
            assertThatThrownBy(() -> server.client(TIMEOUT).get("/metrics"))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("does not answer");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {OK, OK + "begins", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc"})
    void aServerThatStopsInTheBodyIsNotWaitedFor(String head) throws IOException {
        try (Stalling server = new Stalling(head, "", 0)) {
            assertThatThrownBy(() -> server.client(TIMEOUT).get("/metrics"))
                    .isInstanceOf(IOException.class)
                    .hasMessageEndingWith(
                            "cannot be read: the server stopped in the middle of its answer: nothing came for 200ms");
            assertThatThrownBy(() -> server.client(TIMEOUT).stream("/v1/recording")
                            .body()
                            .readAllBytes())
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("stopped in the middle");
        }
    }

    @Test
    void aRefusalWhoseReasonDoesNotComeIsARefusal() throws IOException {
        try (Stalling server = new Stalling("HTTP/1.1 503 No\r\nContent-Length: 1000\r\n\r\n{\"detail\":", "", 0)) {
            assertThatThrownBy(() -> server.client(TIMEOUT).get("/metrics"))
                    .isInstanceOf(IOException.class)
                    .hasMessageEndingWith("is no admin port of Sluice: it answers with status 503");
        }
    }

    @Test
    void aBodyWithoutEndIsNotKept() throws IOException {
        String chunk = "10000\r\n" + "x".repeat(65536) + "\r\n";
        try (Stalling server =
                new Stalling("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", chunk, Long.MAX_VALUE)) {
            assertThatThrownBy(() -> server.client(PATIENT).get("/v1/rules"))
                    .isInstanceOf(IOException.class)
                    .hasMessageEndingWith("/v1/rules cannot be read: it has more than 67108864 bytes");
        }
    }

    /** The folder may be removed while the watch goes on, and another watch may write to it. */
    @Test
    void whatIsWrongWithTheFolderIsSaid(@TempDir Path folder) throws IOException {
        ProposalFolder proposals = new ProposalFolder(folder.resolve("proposals"));
        Instant now = Instant.parse("2026-11-16T10:00:00Z");
        Path file = proposals.write(now, "first");
        assertThatThrownBy(() -> proposals.write(now, "second"))
                .isInstanceOf(IOException.class)
                .hasMessage("there is a proposal of this second, '" + file + "'");
        assertThat(file).hasContent("first");
        assertThat(proposals.newest()).isEqualTo(now);
        assertThat(folder.resolve("proposals")).isDirectoryContaining(file::equals);
        Files.delete(file);
        Files.delete(folder.resolve("proposals")); // fails if a temporary file were left
        assertThatThrownBy(proposals::newest)
                .isInstanceOf(IOException.class)
                .hasMessage("cannot read the folder '" + folder.resolve("proposals") + "': there is no such folder");
        assertThatThrownBy(() -> proposals.write(now, "third"))
                .isInstanceOf(IOException.class)
                .hasMessageEndingWith("there is no such folder");
    }

    /** The watch goes on for weeks: a server that stops in the middle must not end it. */
    @Test
    void aWatchSaysSoAndTriesAgain(@TempDir Path folder) throws IOException {
        StringWriter err = new StringWriter();
        try (Stalling server = new Stalling(OK + "sluice_", "", 0)) {
            AdminClient admin = server.client(TIMEOUT);
            SuggestWatch.Source asks = () -> {
                throw new IOException(admin.get("/v1/recording").text());
            };
            assertThat(watch(folder, asks, err).next()).isEqualTo(Duration.ofMinutes(1));
        }
        assertThat(err.toString()).contains("no proposal: ", "stopped in the middle", "the next attempt is in 1m");
    }

    @Test
    void aWatchSurvivesTrafficThatIsTooMuch(@TempDir Path folder) throws IOException {
        StringWriter err = new StringWriter();
        SuggestWatch.Source large = () -> {
            throw new OutOfMemoryError("Java heap space");
        };
        assertThat(watch(folder, large, err).next()).isEqualTo(Duration.ofMinutes(1));
        assertThat(err.toString()).contains("no proposal: java.lang.OutOfMemoryError: Java heap space; the next");
    }

    private static SuggestWatch watch(Path folder, SuggestWatch.Source source, StringWriter err) throws IOException {
        return new SuggestWatch(
                new ProposalFolder(folder),
                Duration.ofDays(1),
                source,
                List.of(),
                () -> Instant.EPOCH,
                new PrintWriter(Writer.nullWriter()),
                new PrintWriter(err, true));
    }
}
