package dev.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.server.check.HeaderFields;
import java.net.http.HttpResponse;
import java.util.List;
import org.junit.jupiter.api.Test;

class LegacyHeadersTest {
    private static final String RULES = """
            rules:
              - name: login
                when: { path: /login }
                key: [ip]
                limits: [2 per 1h sliding-log]
              - name: watched
                when: { path: /watched }
                limits: [1 per 1h]
                on-exceed: shadow
              - name: at-once
                when: { path: /at-once }
                limits: [1 at once]
            """;

    @Test
    void areThereWhereTheyAreAskedFor() {
        try (Service service = new Service(Service.settings(RULES).fields(HeaderFields.STANDARD_AND_LEGACY))) {
            String login = "/v1/check?ip=203.0.113.9&path=/login";
            assertThat(legacy(service.get(login))).containsExactly("2", "1", "3600");
            assertThat(legacy(service.get("/nginx", "X-Real-IP", "203.0.113.9", "X-Original-URI", "/login")))
                    .containsExactly("2", "0", "3600");
            HttpResponse<String> denied = service.get(login);
            assertThat(denied.statusCode()).isEqualTo(429);
            assertThat(legacy(denied))
                    .containsExactly(
                            "2", "0", denied.headers().firstValue("Retry-After").orElseThrow());
            assertThat(legacy(service.get("/v1/check?path=/other"))).containsOnly("");
            assertThat(legacy(service.get("/v1/check?path=/watched"))).containsOnly("");
            assertThat(legacy(service.get("/v1/check?path=/at-once"))).containsExactly("1", "0", "");
        }
    }

    @Test
    void areNotThereOtherwise() {
        try (Service service = Service.with(RULES)) {
            assertThat(legacy(service.get("/v1/check?ip=203.0.113.9&path=/login")))
                    .containsOnly("");
        }
    }

    private static List<String> legacy(HttpResponse<String> response) {
        return List.of(
                response.headers().firstValue("X-RateLimit-Limit").orElse(""),
                response.headers().firstValue("X-RateLimit-Remaining").orElse(""),
                response.headers().firstValue("X-RateLimit-Reset").orElse(""));
    }
}
