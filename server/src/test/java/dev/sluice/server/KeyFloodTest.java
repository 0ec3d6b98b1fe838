package dev.sluice.server;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Four million addresses through rules that remember much about each, in a heap that cannot hold them all. */
@Tag("full")
class KeyFloodTest {
    private static final int ADDRESSES = 4_000_000;
    private static final int CONNECTIONS = 8;
    private static final int BATCH = 200;
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    @TempDir
    Path folder;

    @Test
    @Timeout(600)
    void theServerGoesOnAnswering() throws Exception {
        Path rules = Files.writeString(folder.resolve("rules.yaml"), """
                rules:
                  - { name: log, key: [ip], limits: [5 per 1m sliding-log] }
                  - { name: window, key: [ip], limits: [100 per 1d sliding-window] }
                """);
        try (ServeProcess server = ServeProcess.start(
                List.of("-Xmx512m", "-XX:+UseParallelGC", "-XX:+ExitOnOutOfMemoryError"),
                Map.of(),
                "--rules",
                rules.toString())) {
            AtomicInteger next = new AtomicInteger();
            List<CompletableFuture<Void>> floods = new ArrayList<>();
            for (int i = 0; i < CONNECTIONS; i++) {
                floods.add(CompletableFuture.runAsync(() -> flood(server.port(), next)));
            }
            CompletableFuture<Void> all = CompletableFuture.allOf(floods.toArray(CompletableFuture<?>[]::new));
            long longest = 0;
            int looks = 0;
            while (!all.isDone()) {
                long began = System.nanoTime();
                assertThat(server.status("/healthz")).isEqualTo(200);
                longest = Math.max(longest, System.nanoTime() - began);
                looks++;
                Thread.sleep(50);
            }
            all.join();
            assertThat(longest).isLessThan(PATIENCE.toNanos());
            assertThat(looks).isGreaterThan(10);
            assertThat(server.status("/v1/check?ip=203.0.113.9&cost=0")).isEqualTo(200);
            assertThat(next.get()).isGreaterThanOrEqualTo(ADDRESSES);
        }
    }

    private static void flood(int port, AtomicInteger next) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout((int) PATIENCE.toMillis());
            InputStream in = socket.getInputStream();
            byte[] buffer = new byte[1 << 16];
            for (int from = next.getAndAdd(BATCH); from < ADDRESSES; from = next.getAndAdd(BATCH)) {
                StringBuilder requests = new StringBuilder();
                for (int i = from; i < from + BATCH; i++) {
                    requests.append("GET /nginx HTTP/1.1\r\nHost: x\r\nX-Real-IP: ")
                            .append(1 + (i >>> 24))
                            .append('.')
                            .append((i >>> 16) & 255)
                            .append('.')
                            .append((i >>> 8) & 255)
                            .append('.')
                            .append(i & 255)
                            .append("\r\n\r\n");
                }
                socket.getOutputStream().write(requests.toString().getBytes(ISO_8859_1));
                int ends = 0; // of responses, which have no bodies
                int matched = 0;
                while (ends < BATCH) {
                    int read = in.read(buffer);
                    if (read < 0) {
                        throw new IOException("the server has closed the connection");
                    }
                    for (int i = 0; i < read; i++) {
                        matched = buffer[i] == "\r\n\r\n".charAt(matched) ? matched + 1 : buffer[i] == '\r' ? 1 : 0;
                        if (matched == 4) {
                            ends++;
                            matched = 0;
                        }
                    }
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException("the flood has no answer", e);
        }
    }
}
