package dev.sluice.server.admin;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A key in the query: some keys cannot stand in a path, and some are too long for an address. */
class KeysInQueryTest {
    private final TestAdmin admin = TestAdmin.start();

    @BeforeEach
    void keysOfAnyKind() {
        admin.putRules("rules: [{name: per-user, key: [user], limits: [2 per 1h sliding-log]}]");
    }

    @AfterEach
    void stop() {
        admin.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"..", ".", "", "a/b", "block", "override", "two\nlines", "nul\0", "%2F", "a+b c", "&key=x#"})
    void isTheSameAsInThePath(String key) {
        String query = "?key=" + URLEncoder.encode(key, UTF_8);
        admin.check("user", key);
        JsonObject shown = admin.json("/v1/keys/per-user" + query);
        assertThat(shown.getString("key")).isEqualTo(key);
        assertThat(shown.getLong("remaining")).isEqualTo(1);
        HttpResponse<String> block = admin.put("/v1/keys/per-user/block" + query, "{\"for\": \"10m\"}");
        assertThat(block.statusCode()).as(block.body()).isEqualTo(200);
        assertThat(admin.check("user", key).allowed()).isFalse();
        assertThat(admin.check("user", key + "x").allowed()).isTrue();
        assertThat(admin.send("DELETE", "/v1/keys/per-user/block" + query, "").statusCode())
                .isEqualTo(204);
        assertThat(admin.put("/v1/keys/per-user/override" + query, "{\"for\": \"1m\", \"limits\": [\"9 per 1h\"]}")
                        .statusCode())
                .isEqualTo(200);
        assertThat(admin.send("DELETE", "/v1/keys/per-user" + query, "").statusCode())
                .isEqualTo(204);
    }

    @Test
    void aShortenedKeyIsFoundWhileItComes() {
        String user = "session=" + "\ud83d\udc7e".repeat(3000);
        for (int i = 0; i < 4; i++) {
            admin.check("user", user);
        }
        String key = admin.check("user", user).decisions().get(0).key();
        JsonObject listed = admin.json("/v1/live").getJsonArray("limitedKeys").getJsonObject(0);
        assertThat(listed.getBoolean("shortened")).isTrue();
        String query = "?shortened=" + URLEncoder.encode(listed.getString("key"), UTF_8);
        assertThat(admin.json("/v1/keys/per-user" + query).getString("key")).isEqualTo(key);
        assertThat(admin.put("/v1/keys/per-user/block" + query, "{\"for\": \"10m\"}")
                        .statusCode())
                .isEqualTo(200);
        assertThat(admin.check("user", user).decisions().get(0).decision().limit())
                .as("blocked")
                .isZero();
        HttpResponse<String> unknown = admin.get("/v1/keys/per-user?shortened=nothing");
        assertThat(unknown.statusCode()).isEqualTo(404);
        assertThat(unknown.body()).contains("no key that is listed as 'nothing'");
    }

    @Test
    void mistakesAreExplained() throws IOException {
        assertThat(admin.get("/v1/keys/per-user").body()).contains("say which key");
        assertThat(admin.get("/v1/keys/nothing?key=a").body()).contains("there is no rule named 'nothing'");
        assertThat(admin.get("/v1/keys/per-user/a/?key=b").statusCode()).isEqualTo(404);
        assertThat(admin.get("/v1/keys/per-user/?key=b").statusCode()).isEqualTo(404);
        for (String path : List.of(
                "/v1/keys/per-user?key=%zz",
                "/v1/keys/per-user?shortened=%",
                "/v1/history?rule=%zz",
                "/v1/history?span=%",
                "/v1/offenders?top=%2")) {
            assertThat(raw(path)).as(path).startsWith("HTTP/1.1 400").contains("hexadecimal digits");
        }
    }

    /** What no client of ours would send. */
    private String raw(String path) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), admin.number())) {
            String request = "GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
            socket.getOutputStream().write(request.getBytes(US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), UTF_8);
        }
    }
}
