package dev.sluice.server;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Many requests behind plain checks that wait: they are read as they are answered, and no sooner. */
@Timeout(120)
class DirectPipelineTest {
    private static final String RULES = """
            rules:
              - { name: seat, when: { path: /seat }, limits: [1 at once], on-exceed: wait up to 5m, lease: 1h }
              - { name: paced, when: { path: /paced }, limits: [500 per 1s token-bucket burst=1], on-exceed: wait up to 5m }
              - { name: counted, when: { path: /counted }, limits: [1000000 per 1h] }
            """;
    private static final int MANY = 5000;

    @TempDir
    private Path folder;

    private static String get(String target) {
        return "GET " + target + " HTTP/1.1\r\n\r\n";
    }

    @Test
    void allAreAnsweredInTheirOrder() throws Exception {
        try (Service service = Service.with(RULES);
                RawClient client = RawClient.of(service)) {
            String hold = Service.object(service.get("/v1/check?path=/seat")).getString("hold");
            Thread sender = new Thread(() -> {
                try {
                    client.send(get("/v1/check?path=/seat")
                            + get("/v1/check?path=/counted").repeat(MANY));
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            sender.start();
            Thread.sleep(300);
            assertThat(service.get("/v1/check?cost=0&path=/counted").body()).contains("\"remaining\":1000000,");
            service.delete("/v1/holds/" + hold);
            assertThat(Objects.requireNonNull(client.next()).body()).contains("\"rule\":\"seat\"");
            for (int i = 1; i <= MANY; i++) {
                assertThat(Objects.requireNonNull(client.next()).body())
                        .contains("\"remaining\":" + (1_000_000 - i) + ",");
            }
            sender.join();
        }
    }

    /** Each response lets the server read on, but not more than that: else what was read would fill its memory. */
    @Test
    @Tag("full")
    void oneAfterTheOtherWaits() throws Exception {
        Path rules = folder.resolve("rules.yaml");
        Files.writeString(rules, RULES);
        byte[] requests = get("/v1/check?path=/paced").repeat(1000).getBytes(US_ASCII);
        List<SocketChannel> clients = new ArrayList<>();
        List<String> heap = List.of("-Xmx96m", "-XX:+ExitOnOutOfMemoryError");
        try (ServeProcess server = ServeProcess.start(heap, Map.of(), "--rules", rules.toString())) {
            for (int i = 0; i < 20; i++) {
                clients.add(SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port())));
                clients.get(i).configureBlocking(false);
            }
            ByteBuffer drain = ByteBuffer.allocate(1 << 16);
            long sent = 0;
            for (int round = 0; round < 100; round++) {
                for (SocketChannel client : clients) {
                    sent += client.write(ByteBuffer.wrap(requests)); // in the middle of one, if there is no room
                    client.read(drain.clear());
                }
                Thread.sleep(50);
            }
            assertThat(server.status("/v1/check?path=/counted")).isEqualTo(200);
            assertThat(sent).as("what the sockets and a read of each hold").isLessThan(20L * (8 << 20));
        } finally {
            for (SocketChannel client : clients) {
                client.close();
            }
        }
    }
}
