package dev.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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
        java.util.List<String> headers = new java.util.ArrayList<>(java.util.List.of("X-Original-URI", "/ip"));
        if (real != null) {
            headers.addAll(java.util.List.of("X-Real-IP", real));
        }
        if (forwarded != null) {
            headers.addAll(java.util.List.of("X-Forwarded-For", forwarded));
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
        assertThat(service.get("/nginx?user=a", about).statusCode()).isEqualTo(204);
        assertThat(service.get("/nginx?user=a", about).statusCode()).isEqualTo(403);
        assertThat(service.get("/nginx?user=b", about).statusCode()).isEqualTo(204);
        assertThat(service.get("/nginx?user=b&host=elsewhere", about).statusCode())
                .as("what it says goes first")
                .isEqualTo(204);
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
