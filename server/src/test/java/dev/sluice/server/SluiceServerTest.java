package dev.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.server.ruleset.InitialRules;
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
        "/,text/html,Sluice playground",
        "/playground.js,text/javascript,draw()",
        "/playground.css,text/css,body {"
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
                "rate=99999       | this is more than 10000 requests; choose a lower rate or a shorter duration",
                "x=%3Cscript%3E   | 'x' is not a parameter; there are algorithm, permits, per, burst, capacity, slices, hold, traffic, duration, rate, seed",
            })
    void badParametersAreExplained(String query, String message) throws Exception {
        HttpResponse<String> response = get(server.adminPort(), "/simulate.svg?" + query);
        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(response.headers().firstValue("Content-Type")).hasValue("text/plain; charset=utf-8");
        assertThat(response.body()).isEqualTo(message + "\n");
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
