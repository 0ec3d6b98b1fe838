package dev.sluice.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.redis.servers.Eventually;
import dev.sluice.server.record.RecorderSettings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** People who try rules at the same time, leave while they are tried, or send what are no rules: over real sockets. */
@Tag("full")
class RuleTrialAttackTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final String RULES = "rules: [{ name: a, key: [ip], limits: [5 per 1h] }]";
    private static final String TRY = "/v1/rules/try";
    /** Some thousand requests under these take a trial far longer than a test has patience. */
    private static final String SLOW = IntStream.range(0, 1500)
            .mapToObj(i -> "  - { name: r" + i + ", key: [ip], limits: [1000000 per 1h sliding-log] }")
            .collect(Collectors.joining("\n", "rules:\n", "\n"));

    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final Service service = new Service(Service.settings(RULES).recorder(RecorderSettings.of(8 << 20)));

    @AfterEach
    void stop() {
        service.close();
    }

    private void record(int requests) {
        List<CompletableFuture<?>> asked = IntStream.range(0, requests / 500)
                .<CompletableFuture<?>>mapToObj(i -> service.sendLater(HttpRequest.newBuilder(service.uri("/v1/check"))
                        .POST(BodyPublishers.ofString(IntStream.range(0, 500)
                                .mapToObj(j -> "{\"attributes\":{\"ip\":\"203.0.113." + j % 250 + "\"}}")
                                .collect(Collectors.joining(",", "[", "]"))))))
                .toList();
        asked.forEach(CompletableFuture::join);
    }

    private CompletableFuture<HttpResponse<String>> post(String path, byte[] rules) {
        return client.sendAsync(
                HttpRequest.newBuilder(URI.create(
                                "http://127.0.0.1:" + service.server().adminPort() + path))
                        .setHeader("Content-Type", "application/yaml")
                        .POST(BodyPublishers.ofByteArray(rules))
                        .build(),
                BodyHandlers.ofString());
    }

    private HttpResponse<String> post(String path, String rules) {
        return post(path, rules.getBytes(UTF_8)).join();
    }

    @Test
    void oneTrialAtATimeAndTheOthersAreToldSo() {
        record(500);
        List<CompletableFuture<HttpResponse<String>>> all = IntStream.range(0, 8)
                .mapToObj(i -> post(TRY, SLOW.getBytes(UTF_8)))
                .toList();
        List<HttpResponse<String>> answers =
                all.stream().map(CompletableFuture::join).toList();
        assertThat(answers)
                .extracting(HttpResponse::statusCode)
                .containsOnly(200, 503)
                .contains(200, 503);
        assertThat(answers)
                .filteredOn(answer -> answer.statusCode() == 503)
                .allSatisfy(answer -> assertThat(answer.body()).contains("trial-under-way", "one at a time"));
        assertThat(post(TRY, RULES).statusCode())
                .as("and then it is free again")
                .isEqualTo(200);
    }

    /** The turn of somebody who has left is free, long before the trial would have ended. */
    @Test
    void whoLeavesDoesNotKeepTheTurn() throws Exception {
        record(60_000);
        try (Socket left =
                new Socket(InetAddress.getLoopbackAddress(), service.server().adminPort())) {
            Eventually.holds("it is under way", PATIENCE, () -> {
                ask(left); // again, where the other one had the turn
                return post(TRY, RULES).statusCode() == 503;
            });
        }
        Eventually.holds(
                "the turn is free",
                Duration.ofSeconds(8),
                () -> post(TRY, RULES).statusCode() == 200);
    }

    private static void ask(Socket socket) {
        try {
            Service.write(
                    socket,
                    "POST " + TRY + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/yaml\r\nContent-Length: "
                            + SLOW.length() + "\r\n\r\n" + SLOW);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            soon                | 400
            0s                  | 400
            -5m                 | 400
            ''                  | 400
            1e9s                | 400
            999999999999999w    | 400
            999999999999999s    | 200
            100000w             | 200
            1us                 | 200
            """)
    void howeverLongAgo(String last, int status) {
        HttpResponse<String> answer = post(TRY + "?last=" + last, RULES);
        assertThat(answer.statusCode()).as(last + " " + answer.body()).isEqualTo(status);
    }

    @Test
    void aQueryThatCannotBeDecoded() throws Exception {
        try (Socket socket =
                new Socket(InetAddress.getLoopbackAddress(), service.server().adminPort())) {
            Service.write(
                    socket,
                    "POST " + TRY + "?last=%zz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                            + "Content-Type: application/yaml\r\nContent-Length: 9\r\n\r\nrules: []");
            assertThat(Service.rest(socket)).startsWith("HTTP/1.1 400").contains("hexadecimal digits");
        }
    }

    @Test
    void whatAreNoRules() {
        assertThat(post(TRY, new byte[] {'a', (byte) 0xff, ':'}).join().statusCode())
                .isEqualTo(400);
        assertThat(post(TRY, "").statusCode()).isEqualTo(400);
        assertThat(post(TRY, "\0").statusCode()).isEqualTo(400);
        assertThat(post(TRY, "[".repeat(100_000)).statusCode()).isEqualTo(400);
        assertThat(post(TRY, "a: &a [x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: [*b,*b,*b,*b,*b,*b,*b,*b]\nrules: *b\n")
                        .statusCode())
                .isEqualTo(400);
        assertThat(post(TRY, "#".repeat((4 << 20) + 1)).statusCode()).isEqualTo(413);
        assertThat(post(TRY, "rules:\n" + "  - { name: x, limits: [1 per 1s] }\n".repeat(20_000))
                        .statusCode())
                .as("many rules of one name")
                .isEqualTo(400);
        assertThat(post(TRY, RULES).statusCode()).isEqualTo(200);
    }
}
