package dev.sluice.server.admin;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.Base64;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Who gets in, with requests written byte by byte: a client of the JDK would not send such. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class AdminAccessTest {
    private static final String TOKEN = "0123456789abcdefTOKEN";

    private final TestAdmin open = TestAdmin.start();
    private final TestAdmin closed = TestAdmin.withTokens("alice:" + TOKEN);

    @AfterAll
    void stop() {
        open.close();
        closed.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"localhost", "LOCALHOST:8081", "127.0.0.1", "127.0.0.1:8081", "[::1]:8081"})
    void byALocalName(String host) throws IOException {
        assertThat(ask(open, "GET /v1/rules HTTP/1.1", "Host: " + host)).startsWith("HTTP/1.1 200");
    }

    /** A page whose name was made to lead to 127.0.0.1 is seen by that name. */
    @ParameterizedTest
    @ValueSource(
            strings = {"attacker.example", "127.0.0.1.attacker.example:8081", "localhost.attacker.example", "10.0.0.1"})
    void notByAnyOther(String host) throws IOException {
        assertThat(ask(open, "GET /v1/rules HTTP/1.1", "Host: " + host)).startsWith("HTTP/1.1 403");
        assertThat(ask(open, "GET /elsewhere HTTP/1.1", "Host: " + host)).startsWith("HTTP/1.1 403");
    }

    @Test
    void notByNoName() throws IOException {
        assertThat(ask(open, "GET /v1/rules HTTP/1.0")).startsWith("HTTP/1.0 403");
    }

    @ParameterizedTest
    @CsvSource({
        "Origin: http://attacker.example,403",
        "Origin: null,403",
        "Origin: http://localhost:3000,403",
        "Origin: http://localhost,404",
        "Sec-Fetch-Site: cross-site,403",
        "Sec-Fetch-Site: same-site,403",
        "Sec-Fetch-Site: same-origin,404",
        "X-Nothing: special,404",
    })
    void changesOnlyFromHere(String header, int status) throws IOException {
        String rollBack = "POST /v1/rules/rollback?version=99 HTTP/1.1";
        assertThat(ask(open, rollBack, "Host: localhost", header)).startsWith("HTTP/1.1 " + status);
    }

    @ParameterizedTest
    @ValueSource(strings = {"text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"})
    void notWhatAFormCanSend(String type) throws IOException {
        String answer =
                ask(open, "POST /v1/explain HTTP/1.1", "Host: localhost", "Content-Type: " + type, "Content-Length: 0");
        assertThat(answer).startsWith("HTTP/1.1 415");
    }

    @Test
    void withTheToken() throws IOException {
        String basic = Base64.getEncoder().encodeToString(("anybody:" + TOKEN).getBytes(UTF_8));
        assertThat(asking("Bearer " + TOKEN)).startsWith("HTTP/1.1 200");
        assertThat(asking("bearer  " + TOKEN)).startsWith("HTTP/1.1 200");
        assertThat(asking("Basic " + basic)).startsWith("HTTP/1.1 200");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Bearer 0123456789abcdefTOKEM",
                "Bearer ",
                "Bearer",
                "Basic !!!",
                "Basic YWxpY2U=",
                "Digest 0123456789abcdefTOKEN",
                "0123456789abcdefTOKEN"
            })
    void notWithAnother(String authorization) throws IOException {
        String answer = asking(authorization);
        assertThat(answer).startsWith("HTTP/1.1 401").contains("WWW-Authenticate: Bearer");
        assertThat(answer).doesNotContain(TOKEN);
    }

    @Test
    void notWithoutAnyAndNotToTheRestEither() throws IOException {
        for (String path : new String[] {"/", "/metrics", "/v1/events", "/v1/rules", "/elsewhere"}) {
            assertThat(ask(closed, "GET " + path + " HTTP/1.1", "Host: sluice.example"))
                    .startsWith("HTTP/1.1 401");
        }
        assertThat(closed.get("/metrics", "Authorization", "Bearer " + TOKEN).body())
                .containsPattern("sluice_admin_refused_total [5-9]");
    }

    @Test
    void theTokensNameIsInTheAuditLog() {
        closed.send("DELETE", "/v1/keys/everything/", "", "Authorization", "Bearer " + TOKEN);
        assertThat(closed.audited().get(0).getString("who")).isEqualTo("alice@127.0.0.1");
    }

    @Test
    void aPathThatIsNoPath() throws IOException {
        assertThat(ask(open, "GET /v1/keys/login-per-ip/%zz HTTP/1.1", "Host: localhost"))
                .startsWith("HTTP/1.1 400")
                .contains("not followed by two hexadecimal digits");
    }

    private String asking(String authorization) throws IOException {
        return ask(closed, "GET /v1/rules HTTP/1.1", "Host: sluice.example", "Authorization: " + authorization);
    }

    private static String ask(TestAdmin admin, String... lines) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), admin.number())) {
            String head = String.join("\r\n", lines) + "\r\nConnection: close\r\n\r\n";
            socket.getOutputStream().write(head.getBytes(UTF_8));
            return new String(socket.getInputStream().readAllBytes(), UTF_8);
        }
    }
}
