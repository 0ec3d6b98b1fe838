package dev.sluice.server;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.Json;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Throws garbage at {@code /v1/check}, the same garbage in every run. Every answer is 200, 429 or a 4xx, in JSON, and
 * when all is over the server is as before. More of it with {@code -Dsluice.fuzz=100000}.
 */
@Tag("slow")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CheckFuzzTest {
    private static final int ROUNDS = Integer.getInteger("sluice.fuzz", 2500);
    private static final List<String> GOOD = List.of(
            "{\"attributes\":{\"ip\":\"203.0.113.9\",\"path\":\"/login\",\"method\":\"POST\"},\"cost\":1}",
            "[{\"attributes\":{\"ip\":\"2001:db8::1\",\"path\":\"/a/b\"}},{\"attributes\":{},\"cost\":0}]",
            "{\"attributes\":{\"user\":\"a\\u00e9\\n\",\"path\":\"/api/x\"},\"cost\":9007199254740992,\"leaseMs\":1}");
    private static final List<String> PIECES = List.of(
            "{",
            "}",
            "[",
            "]",
            ",",
            ":",
            "\"",
            "\\",
            "\\u",
            "\\ud800",
            "null",
            "true",
            "-1",
            "1e999",
            "0.1",
            "NaN",
            "99999999999999999999",
            "\"attributes\"",
            "\"cost\"",
            "\"leaseMs\"",
            "{\"ip\":\"1.2.3.4\"}",
            "\u0000",
            "\u00ff\u00fe",
            "\u00ed\u00a0\u0080",
            " ",
            "\n",
            "/*",
            "'",
            "\"ip\":",
            "x".repeat(300),
            "[".repeat(50));
    private static final List<String> PARTS = List.of(
            "ip",
            "path",
            "user",
            "cost",
            "=",
            "&",
            "%",
            "%00",
            "%ff",
            "%c3%a9",
            "+",
            "203.0.113.9",
            "2001:db8::1",
            "::ffff:1.2.3.4",
            "/login",
            "/../..//",
            "1",
            "-1",
            "999999999999999999999",
            ";",
            "?",
            "a".repeat(200));

    private final Service service = Service.with("""
            rules:
              - { name: login, when: { path: /login, method: POST }, key: [ip], limits: [5 per 1h sliding-log] }
              - { name: api, when: { path: "/api/**" }, key: [user], limits: [10 per 1s, 2 at once] }
              - { name: all, key: [ip], limits: [1000 per 1m] }
            """);

    @AfterAll
    void close() {
        service.close();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2})
    void bodies(long seed) throws IOException {
        Random random = new Random(seed);
        throwAt(() -> {
            String body = random.nextInt(4) == 0 ? pieces(random, PIECES, 12) : damaged(random);
            return "POST /v1/check HTTP/1.1\r\nHost: x\r\nContent-Length: " + body.length() + "\r\n\r\n" + body;
        });
    }

    @ParameterizedTest
    @ValueSource(longs = {3, 4})
    void queries(long seed) throws IOException {
        Random random = new Random(seed);
        throwAt(() -> "GET /v1/check?" + pieces(random, PARTS, 10) + " HTTP/1.1\r\nHost: x\r\n\r\n");
    }

    /** Not even requests; each on a connection of its own, which the server may close. */
    @Test
    void bytes() throws IOException {
        Random random = new Random(5);
        for (int i = 0; i < ROUNDS / 40; i++) {
            try (Socket socket = service.connect()) {
                byte[] bytes = new byte[1 + random.nextInt(400)];
                random.nextBytes(bytes);
                String head =
                        random.nextBoolean() ? "GET /v1/check?" : random.nextBoolean() ? "PRI * HTTP/2.0\r\n" : "";
                Service.write(socket, head + new String(bytes, ISO_8859_1));
                socket.shutdownOutput();
                assertThat(Service.rest(socket)).doesNotContain("HTTP/1.1 5");
            } catch (java.net.SocketException e) {
                // closed before all was sent
            }
        }
        assertThat(service.get("/healthz").statusCode()).isEqualTo(200);
    }

    private interface Garbage {
        String next();
    }

    private void throwAt(Garbage garbage) throws IOException {
        try (Socket socket = service.connect()) {
            for (int i = 0; i < ROUNDS; i++) {
                String request = garbage.next();
                Service.write(socket, request);
                String answer = answer(socket.getInputStream(), request);
                assertThat(answer).as(request).matches("(?s)HTTP/1.1 (200|429|4\\d\\d) .*");
                String body = answer.substring(answer.indexOf("\r\n\r\n") + 4);
                assertThat(Json.decodeValue(body)).as(request).isNotNull();
            }
        }
        assertThat(service.get("/v1/check?path=/elsewhere").statusCode()).isEqualTo(200);
    }

    /** One answer, by its length. */
    private static String answer(InputStream in, String request) throws IOException {
        StringBuilder head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            int next = in.read();
            assertThat(next).as("an answer to " + request).isNotNegative();
            head.append((char) next);
        }
        String length = head.toString()
                .lines()
                .filter(line -> line.toLowerCase(java.util.Locale.ROOT).startsWith("content-length: "))
                .findFirst()
                .orElseThrow()
                .substring(16);
        return head + new String(in.readNBytes(Integer.parseInt(length)), java.nio.charset.StandardCharsets.UTF_8);
    }

    private static String pieces(Random random, List<String> pieces, int most) {
        return IntStream.range(0, random.nextInt(most))
                .mapToObj(i -> pieces.get(random.nextInt(pieces.size())))
                .collect(Collectors.joining());
    }

    /** A good body with a few things cut out, put in or changed. */
    private static String damaged(Random random) {
        StringBuilder body = new StringBuilder(GOOD.get(random.nextInt(GOOD.size())));
        for (int i = random.nextInt(4); i > 0 && body.length() > 1; i--) {
            int at = random.nextInt(body.length());
            switch (random.nextInt(3)) {
                case 0 -> body.delete(at, Math.min(body.length(), at + 1 + random.nextInt(8)));
                case 1 -> body.insert(at, PIECES.get(random.nextInt(PIECES.size())));
                default -> body.setCharAt(at, (char) random.nextInt(256));
            }
        }
        return body.toString();
    }
}
