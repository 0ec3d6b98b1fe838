package dev.sluice.server;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.server.ruleset.InitialRules;
import io.vertx.core.json.JsonObject;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SluiceServerTest {
    private final HttpClient client = HttpClient.newHttpClient();
    private final SluiceServer server = SluiceServer.start(ServerSettings.of(InitialRules.example()));

    @BeforeAll
    void listens() {
        assertThat(server.port()).isPositive().isNotEqualTo(server.adminPort());
    }

    @AfterAll
    void close() {
        server.close();
        Assertions.assertThatThrownBy(() -> get(server.port(), "/healthz")).isInstanceOf(java.io.IOException.class);
    }

    @ParameterizedTest
    @CsvSource({
        "/playground,text/html,Sluice: playground",
        "/playground.js,text/javascript,draw()",
        "/playground.css,text/css,.sluice",
        "/play-zh.json,application/json,playLead",
        "/capacity,text/html,Sluice: capacity"
    })
    void thePage(String path, String type, String part) throws Exception {
        HttpResponse<String> response = get(server.adminPort(), path);
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.headers().firstValue("Content-Type")).hasValue(type + "; charset=utf-8");
        assertThat(response.headers().firstValue("Content-Security-Policy").orElseThrow())
                .startsWith("default-src 'none'");
        assertThat(response.body()).contains(part).doesNotContain("<!--");
        assertThat(response.body().replaceAll("http://www\\.w3\\.org/2000/svg", ""))
                .as("nothing from elsewhere")
                .doesNotContain("http:", "https:", "//cdn");
    }

    @Test
    void aPicture() throws Exception {
        HttpResponse<String> response = get(
                server.adminPort(), "/simulate.svg?algorithm=sliding-log&algorithm=token-bucket&permits=5&width=500");
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.headers().firstValue("Content-Type")).hasValue("image/svg+xml; charset=utf-8");
        assertThat(response.body())
                .startsWith("<svg")
                .contains("width=\"500\"", "5 per 10s token-bucket burst=5", "Sliding log")
                .doesNotContain("Leaky bucket");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "permits=0        | permits must be a whole number from 1 to 100000, was '0'",
                "width=99999      | width must be a whole number from 320 to 1600, was '99999'",
                "width=100        | width must be from 320 to 1600, was 100",
                "language=xx      | language must be en or zh, was 'xx'",
                "rate=99999       | this would be 1999981 requests, and at most 50000 are simulated; with permits and a rate that are 40 times lower the picture is the same, or choose a duration that is 40 times shorter",
                "x=%3Cscript%3E   | 'x' is not a parameter; there are algorithm, permits, per, burst, capacity, slices, hold, traffic, duration, rate, seed, drawn",
            })
    void badParametersAreExplained(String query, String message) throws Exception {
        HttpResponse<String> response = get(server.adminPort(), "/simulate.svg?" + query);
        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(response.headers().firstValue("Content-Type")).hasValue("application/problem+json");
        assertThat(new JsonObject(response.body()).getString("detail")).isEqualTo(message);
        assertThat(get(server.adminPort(), "/simulate.json?" + query).statusCode())
                .isEqualTo(400);
    }

    @Test
    void aSimulationAsJson() throws Exception {
        HttpResponse<String> response =
                get(server.adminPort(), "/simulate.json?algorithm=fixed-window-aligned,leaky-bucket-queue");
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.headers().firstValue("Content-Type")).hasValue("application/json; charset=utf-8");
        JsonObject json = new JsonObject(response.body());
        assertThat(json.getJsonArray("arrivalsMicros")).hasSize(41);
        assertThat(json.containsKey("picture")).isFalse();
        JsonObject fixed = json.getJsonArray("algorithms").getJsonObject(0);
        assertThat(fixed.getString("limit")).isEqualTo("10 per 10s fixed-window aligned=epoch");
        assertThat(fixed.getLong("most")).isEqualTo(20);
        assertThat(fixed.getString("decisions")).hasSize(41).containsOnlyOnce("0");
        JsonObject queue = json.getJsonArray("algorithms").getJsonObject(1);
        assertThat(queue.getJsonArray("delaysMicros")).hasSize(Math.toIntExact(queue.getLong("allowed")));
        assertThat(get(server.adminPort(), "/simulate.json?width=500&language=zh")
                        .body())
                .contains("任意 10s 内放行了多少请求？")
                .doesNotContain("<style");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/simulate.svg?width=%zz", "/simulate.svg?%", "/v1/rules?compiled=%zz", "/v1/rules?%f"})
    void aQueryThatCannotBeDecodedIsExplained(String path) throws Exception {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.adminPort())) {
            socket.setSoTimeout(20_000);
            String request = "GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1:" + server.adminPort()
                    + "\r\nConnection: close\r\n\r\n";
            socket.getOutputStream().write(request.getBytes(US_ASCII));
            assertThat(new String(socket.getInputStream().readAllBytes(), US_ASCII))
                    .startsWith("HTTP/1.1 400 ")
                    .contains("in the query a '%' is not followed by two hexadecimal digits");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"POST", "PUT", "DELETE"})
    void onlyReading(String method) throws Exception {
        HttpResponse<String> response = client.send(
                HttpRequest.newBuilder(uri(server.adminPort(), "/"))
                        .method(method, BodyPublishers.ofString("x"))
                        .build(),
                BodyHandlers.ofString());
        assertThat(response.statusCode()).isEqualTo(405);
        assertThat(response.headers().firstValue("Allow")).hasValue("GET, HEAD");
    }

    @Test
    void manyAtOnce() {
        List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            answers.add(client.sendAsync(
                    HttpRequest.newBuilder(uri(server.adminPort(), "/simulate.svg?traffic=flash-sale&seed=" + i))
                            .build(),
                    BodyHandlers.ofString()));
        }
        assertThat(answers).allMatch(answer -> answer.join().statusCode() == 200);
    }

    /** The page is for this machine alone. */
    @Test
    void theAdminPortIsOnLoopbackOnly() throws Exception {
        for (NetworkInterface network : NetworkInterface.networkInterfaces().toList()) {
            for (InetAddress address : network.inetAddresses().toList()) {
                if (!address.isLoopbackAddress()) {
                    Assertions.assertThatThrownBy(() -> new Socket(address, server.adminPort()).close())
                            .isInstanceOf(java.io.IOException.class);
                }
            }
        }
    }

    private HttpResponse<String> get(int port, String path) throws Exception {
        return client.send(HttpRequest.newBuilder(uri(port, path)).build(), BodyHandlers.ofString());
    }

    private static URI uri(int port, String path) {
        return URI.create("http://127.0.0.1:" + port + path);
    }
}
