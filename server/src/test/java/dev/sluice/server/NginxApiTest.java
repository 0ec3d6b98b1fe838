package dev.sluice.server;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code /nginx}: what {@code auth_request} asks. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class NginxApiTest {
    private static final String RULES = """
            trusted-proxies: [10.0.0.0/8, "2001:db8:1::/48"]
            rules:
              - name: login
                when: { path: /login, method: POST }
                key: [ip]
                limits: [2 per 1h sliding-log]
              - name: by-ip
                when: { path: /ip }
                key: [ip]
                limits: [1 per 1h sliding-log]
                overrides:
                  - { ip: 203.0.113.0/24, limits: [7 per 1h sliding-log] }
                  - { ip: 127.0.0.1, limits: [9 per 1h sliding-log] }
              - name: by-key
                when: { path: /key }
                key: [header.x-api-key]
                limits: [1 per 1h sliding-log]
              - name: by-user
                when: { path: /user, host: shop.example }
                key: [user]
                limits: [1 per 1h sliding-log]
              - name: strict
                when: { path: /strict }
                key: [ip]
                missing-key: deny
                limits: [2 per 1h sliding-log]
              - name: cost
                when: { path: /cost }
                limits: [7 per 1h sliding-log]
              - name: bytes
                when: { path: /caf\u00e9 }
                limits: [1 per 1h sliding-log]
              - name: spread
                when: { path: /spread }
                limits: [1 per 100ms leaky-bucket capacity=5 queue]
            """;
    private final Service service = Service.with(RULES);

    @AfterAll
    void close() {
        service.close();
    }

    @Test
    void yesIs204AndNoIs403() {
        String[] about = {"X-Original-URI", "/login?next=/", "X-Original-Method", "POST", "X-Real-IP", "203.0.113.9"};
        for (int left = 1; left >= 0; left--) {
            HttpResponse<String> response = service.get("/nginx", about);
            assertThat(response.statusCode()).isEqualTo(204);
            assertThat(response.headers().firstValue("RateLimit")).hasValue("\"login\";r=" + left + ";t=3600");
        }
        HttpResponse<String> response = service.get("/nginx", about);
        assertThat(response.statusCode()).isEqualTo(403);
        assertThat(response.body()).isEmpty();
        assertThat(response.headers().firstValue("RateLimit-Policy")).hasValue("\"login\";q=2;w=3600");
        assertThat(response.headers().firstValue("Retry-After").orElseThrow()).matches("3[56]\\d\\d");
    }

    /** The limit shows which address was taken: 7 for 203.0.113.x, 9 for this machine, 1 for any other. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "-",
            value = {
                "203.0.113.1   | -                                  | 7",
                "198.51.100.1  | -                                  | 1",
                "-             | -                                  | 9",
                "-             | 203.0.113.2                        | 9", // who speaks to us is not a trusted proxy
                "198.51.100.2  | 203.0.113.3                        | 1", // nor is who spoke to nginx
                "10.1.2.3      | 203.0.113.4                        | 7",
                "10.1.2.3      | 198.51.100.9, 203.0.113.5          | 7", // what the client itself wrote does not count
                "10.1.2.3      | 203.0.113.6, 198.51.100.3          | 1",
                "10.1.2.3      | 203.0.113.7, 10.9.9.9              | 7",
                "10.1.2.3      | '203.0.113.8:4711 , 10.9.9.9'      | 7",
                "2001:db8:1::5 | 203.0.113.10                       | 7",
            })
    void theAddressComesFromTrustedProxiesAlone(String real, String forwarded, int limit) {
        List<String> headers = new ArrayList<>(List.of("X-Original-URI", "/ip"));
        if (real != null) {
            headers.addAll(List.of("X-Real-IP", real));
        }
        if (forwarded != null) {
            headers.addAll(List.of("X-Forwarded-For", forwarded));
        }
        HttpResponse<String> response = service.get("/nginx", headers.toArray(String[]::new));
        assertThat(response.headers().firstValue("RateLimit-Policy")).hasValue("\"by-ip\";q=" + limit + ";w=3600");
    }

    @Test
    void headersThatRulesAskForAreAttributes() {
        assertThat(service.get("/nginx", "X-Original-URI", "/key", "X-Api-Key", "one")
                        .statusCode())
                .isEqualTo(204);
        assertThat(service.get("/nginx", "X-Original-URI", "/key", "X-Api-Key", "one")
                        .statusCode())
                .isEqualTo(403);
        assertThat(service.get("/nginx", "X-Original-URI", "/key", "X-Api-Key", "two")
                        .statusCode())
                .isEqualTo(204);
    }

    @Test
    void theConfigurationCanSayMore() {
        String[] about = {"X-Original-URI", "/user", "X-Original-Host", "shop.example"};
        assertThat(asUser("a", about).statusCode()).isEqualTo(204);
        assertThat(asUser("a", about).statusCode()).isEqualTo(403);
        assertThat(asUser("b", about).statusCode()).isEqualTo(204);
        assertThat(asUser("a, \"b\"&cost=0&ip=192.0.2.1", about).statusCode()).isEqualTo(204);
        assertThat(asUser("a, \"b\"&cost=0&ip=192.0.2.1", about).statusCode())
                .as("a value is never taken apart")
                .isEqualTo(403);
    }

    private HttpResponse<String> asUser(String user, String... about) {
        List<String> headers = new ArrayList<>(List.of(about));
        headers.addAll(List.of("Sluice-Attribute-User", user));
        return service.get("/nginx", headers.toArray(String[]::new));
    }

    @ParameterizedTest
    @ValueSource(strings = {"?user=a", "?cost=0", "?ip=192.0.2.1&path=/x", "?x"})
    void aQueryIsRefused(String query) {
        HttpResponse<String> response = service.get("/nginx" + query, "X-Original-URI", "/user");
        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(Service.detail(response))
                .startsWith(
                        "/nginx takes no query, since nginx writes variables into it as the client wrote them, was '"
                                + query.substring(1) + "'; send attributes as header fields");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "X-Original-URI",
                "X-Original-Method",
                "X-Original-Host",
                "X-Real-IP",
                "Sluice-Cost",
                "Sluice-Attribute-User"
            })
    void aFieldThatIsThereTwiceIsRefused(String field) throws IOException {
        String said = service.raw("GET /nginx HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
                + (field.equals("X-Original-URI") ? "" : "X-Original-URI: /login\r\n")
                + field + ": 1\r\n" + field.toLowerCase(Locale.ROOT) + ": 2\r\n\r\n");
        assertThat(said)
                .startsWith("HTTP/1.1 400 ")
                .containsIgnoringCase(field + " is there twice, as '1' and '2'; one of the two may be the client's");
    }

    @ParameterizedTest
    @ValueSource(strings = {"ip", "path", "Method", "host", "cost"})
    void whatDecidesHasOneSource(String attribute) {
        HttpResponse<String> response =
                service.get("/nginx", "X-Original-URI", "/login", "Sluice-Attribute-" + attribute, "192.0.2.1");
        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(Service.detail(response)).contains("is not read: this attribute comes from a field of its own");
    }

    @Test
    void theCostIsAFieldAndNeverNothing() {
        String[] about = {"X-Original-URI", "/cost", "Sluice-Cost", "4"};
        assertThat(service.get("/nginx", about).headers().firstValue("RateLimit"))
                .hasValue("\"cost\";r=3;t=3600");
        for (String cost : new String[] {"0", "-1", "many"}) {
            HttpResponse<String> response = service.get("/nginx", "X-Original-URI", "/cost", "Sluice-Cost", cost);
            assertThat(response.statusCode()).isEqualTo(400);
            assertThat(Service.detail(response))
                    .isEqualTo("Sluice-Cost must be a whole number from 1 to 9007199254740992, was '" + cost + "'");
        }
    }

    @Test
    void aPathThatWasMadeToBeMisreadIsDenied() {
        String path = "//a%252f;\\..//../b#c;%5cd%3fe";
        HttpResponse<String> response = service.get("/nginx", "X-Original-URI", path);
        assertThat(response.statusCode()).isEqualTo(403);
        assertThat(response.headers().firstValue("Retry-After")).isEmpty();
        HttpResponse<String> check = service.post("{'attributes': {'path': '" + path.replace("\\", "\\\\") + "'}}");
        assertThat(check.statusCode()).isEqualTo(429);
        assertThat(Service.object(check).getValue("retryAfterMs")).isNull();
        assertThat(Service.object(check).getString("rule")).isEqualTo("ambiguous-path");
    }

    @Test
    void anAddressThatIsNoneIsDeniedIfTheRuleSaysSo() {
        String[] about = {"X-Original-URI", "/strict", "X-Real-IP", "garbage"};
        assertThat(service.get("/nginx", about).statusCode()).isEqualTo(403);
        assertThat(service.get("/v1/check?path=/strict").statusCode()).isEqualTo(429);
        assertThat(service.get("/v1/check?path=/strict&ip=192.0.2.1").statusCode())
                .isEqualTo(200);
    }

    @Test
    void withoutAPathNothingIsDecided() {
        HttpResponse<String> response = service.get("/nginx", "X-Original-Method", "POST");
        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(Service.detail(response))
                .isEqualTo("X-Original-URI is missing; expected proxy_set_header X-Original-URI $request_uri;");
    }

    /** Bytes as nginx hands them on, and the same as escapes. */
    @Test
    void fieldsAreInUtf8() throws IOException {
        String raw = new String("/caf\u00e9".getBytes(UTF_8), ISO_8859_1);
        String request = "GET /nginx HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-Original-URI: ";
        assertThat(service.raw(request + raw + "\r\n\r\n")).startsWith("HTTP/1.1 204 ");
        assertThat(service.raw(request + "/caf%C3%A9\r\n\r\n")).startsWith("HTTP/1.1 403 ");
    }

    @Test
    void anAddressThatIsNoneSharesACounter() {
        for (String ip : new String[] {"unix:", "203.0.113.009"}) {
            assertThat(login(ip).statusCode()).as(ip).isEqualTo(204);
        }
        assertThat(login("garbage").statusCode()).isEqualTo(403);
    }

    private HttpResponse<String> login(String ip) {
        return service.get("/nginx", "X-Original-URI", "/login", "X-Original-Method", "POST", "X-Real-IP", ip);
    }

    /** nginx cannot hold a request back, so the answer is held. */
    @Test
    void aQueueHoldsTheAnswer() {
        long began = System.nanoTime();
        for (int i = 0; i < 3; i++) {
            assertThat(service.get("/nginx", "X-Original-URI", "/spread").statusCode())
                    .isEqualTo(204);
        }
        assertThat(System.nanoTime() - began).isGreaterThan(200_000_000L);
    }
}
