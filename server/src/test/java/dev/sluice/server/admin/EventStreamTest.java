package dev.sluice.server.admin;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class EventStreamTest {
    private final TestAdmin admin = TestAdmin.start();

    @AfterEach
    void stop() {
        admin.close();
    }

    @Test
    void tellsOfDenialsAndOfRules() throws IOException {
        try (Socket socket = listen(64 * 1024)) {
            BufferedReader reader = new BufferedReader(new InputStreamReader(socket.getInputStream(), UTF_8));
            until(reader, ": events follow");
            assertThat(admin.metric("sluice_events_listeners")).isEqualTo(1);
            for (int i = 0; i < 3; i++) {
                admin.login("192.0.2.1");
            }
            JsonObject denied = event(reader, "denied");
            assertThat(denied.getString("rule")).isEqualTo("login-per-ip");
            assertThat(denied.getString("key")).isEqualTo("192.0.2.1");
            assertThat(denied.getLong("retryAfterMs")).isPositive();
            admin.putRules(TestAdmin.RULES.replace("1000", "2000"));
            assertThat(event(reader, "rules").getLong("version")).isEqualTo(2);
            admin.send("DELETE", "/v1/keys/everything/", "");
            assertThat(event(reader, "key").getString("what")).isEqualTo("reset");
        }
        TestAdmin.eventually("who has left is gone", () -> admin.metric("sluice_events_listeners") == 0);
        assertThat(admin.metric("sluice_events_cut_off_total")).isZero();
    }

    @Test
    void tellsOfASampleOfManyDenials() throws IOException {
        try (Socket socket = listen(64 * 1024)) {
            BufferedReader reader = new BufferedReader(new InputStreamReader(socket.getInputStream(), UTF_8));
            until(reader, ": events follow");
            for (int i = 0; i < 5_000; i++) {
                admin.login("192.0.2.1");
            }
            admin.send("DELETE", "/v1/keys/everything/", "");
            List<String> lines = new ArrayList<>();
            until(reader, "event: key", lines);
            assertThat(lines.stream().filter("event: denied"::equals).count())
                    .as("twenty at once and twenty a second")
                    .isBetween(20L, 1_000L);
        }
    }

    /** Somebody who does not read is cut off; somebody who does sees everything. */
    @Test
    void waitsForNobody() throws IOException {
        try (Socket slow = listen(1024);
                Socket quick = listen(64 * 1024)) {
            BufferedReader reader = new BufferedReader(new InputStreamReader(quick.getInputStream(), UTF_8));
            until(reader, ": events follow");
            TestAdmin.eventually("both listen", () -> admin.metric("sluice_events_listeners") == 2);
            String key = "k".repeat(3_000);
            Thread reading = new Thread(() -> {
                try {
                    until(reader, "never");
                } catch (IOException | AssertionError ended) {
                    // closed
                }
            });
            reading.start();
            TestAdmin.eventually("the slow one is cut off", () -> {
                admin.send("DELETE", "/v1/keys/login-per-ip/" + key, "");
                for (int i = 0; i < 50; i++) {
                    admin.port.events().publish("test", new JsonObject().put("text", key));
                }
                return admin.metric("sluice_events_cut_off_total") == 1;
            });
            assertThat(admin.metric("sluice_events_listeners")).isEqualTo(1);
            assertThat(slow.isClosed()).isFalse(); // from this side; what was sent before can be read
        }
    }

    private Socket listen(int receiveBuffer) throws IOException {
        Socket socket = new Socket();
        socket.setReceiveBufferSize(receiveBuffer);
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), admin.number()));
        socket.getOutputStream().write("GET /v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(UTF_8));
        return socket;
    }

    private static JsonObject event(BufferedReader reader, String type) throws IOException {
        until(reader, "event: " + type);
        return new JsonObject(reader.readLine().substring("data: ".length()));
    }

    private static void until(BufferedReader reader, String wanted) throws IOException {
        until(reader, wanted, new ArrayList<>());
    }

    private static void until(BufferedReader reader, String wanted, List<String> seen) throws IOException {
        for (String line = reader.readLine(); line != null; line = reader.readLine()) {
            seen.add(line);
            if (line.equals(wanted)) {
                return;
            }
        }
        throw new AssertionError("the stream ended without " + wanted + " after " + seen.size() + " lines");
    }
}
