package dev.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.server.admin.AdminTokens;
import dev.sluice.server.admin.AuditLog;
import dev.sluice.server.record.RecorderSettings;
import dev.sluice.server.web.Bounds;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Each documented response of both ports is asked for on a real server, and looks as documented. */
class OpenApiTest {
    private static final String RULES = """
            rules:
              - name: few
                when: { path: /few }
                key: [ip]
                limits: [1 per 1h sliding-log, 10 per 1d fixed-window]
                overrides:
                  - { ip: 203.0.113.1, limits: [unlimited] }
              - name: everything
                when: { path: /all }
                limits: [5 per 1h]
              - name: at-once
                when: { path: /at-once }
                limits: [9 at once]
              - name: watched
                when: { path: /watched }
                limits: [1 per 1h]
                on-exceed: shadow
              - name: degraded
                when: { path: /degraded }
                limits: [1 per 1h]
                on-exceed: degrade
              - name: queue
                when: { path: /queue }
                limits: [1 per 100ms leaky-bucket capacity=5 queue]
            """;
    private static final String TOKEN = "a-token-for-this-test";
    private static final String JSON = "application/json";

    private final Service service = new Service(Service.settings(RULES)
            .bounds(Bounds.DEFAULTS.withRequestTimeout(Duration.ofMillis(700)))
            .guarded(AdminTokens.parse("ada:" + TOKEN), AuditLog.to(new ByteArrayOutputStream()))
            .recorder(RecorderSettings.of(1 << 20)));
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    @AfterEach
    void stop() {
        service.close();
    }

    @Test
    void theDataPort() throws Exception {
        OpenApiDocument document =
                new OpenApiDocument(service.get("/openapi.yaml").body());
        String few = "/v1/check?ip=203.0.113.9&path=/few";
        for (String path : new String[] {
            few,
            few,
            few + "&cost=11",
            "/v1/check?cost=-1",
            "/v1/check",
            "/v1/check?path=/watched",
            "/v1/check?path=/watched",
            "/v1/check?path=/degraded",
            "/v1/check?path=/degraded",
            "/v1/check?path=/queue",
            "/v1/check?path=/queue",
            "/v1/check?ip=203.0.113.1&path=/few",
            "/v1/check?path=/at-once",
            "/healthz",
            "/readyz",
            "/openapi.yaml",
        }) {
            data(document, "get", path, "");
        }
        String held = "{'attributes': {'path': '/at-once'}}";
        HttpResponse<String> hold = data(document, "post", "/v1/check", held);
        data(document, "get", "/v1/check?path=/at-once", "");
        data(document, "post", "/v1/check", held);
        String id = Service.object(hold).getString("hold");
        data(document, "delete", "/v1/holds/" + id, "");
        data(document, "delete", "/v1/holds/" + id, "");
        String denied = "{'attributes': {'ip': '203.0.113.9', 'path': '/few'}}";
        data(document, "post", "/v1/check", denied);
        data(document, "post", "/v1/check", "[" + denied + ", {'attributes': {}}]");
        data(document, "post", "/v1/check", "{'attributes': 1}");
        data(document, "post", "/v1/check", "x".repeat(2 << 20));
        slow(document, "/v1/check");
        data(document, "get", "/nginx", "", "X-Original-URI", "/few", "X-Real-IP", "203.0.113.8");
        data(document, "get", "/nginx", "", "X-Original-URI", "/few", "X-Real-IP", "203.0.113.8");
        data(document, "get", "/nginx?cost=x", "");
        String envoy = "{'domain': 'd', 'descriptors': [{'entries': [{'key': 'path', 'value': '/all'}]}],"
                + " 'hitsAddend': 3}";
        data(document, "post", "/json", envoy);
        data(document, "post", "/json", envoy);
        data(document, "post", "/json", "{'domain': 'd'}");
        data(document, "post", "/json", "x".repeat(300 << 10));
        slow(document, "/json");
        assertThat(without(document, "get /readyz 503", "get /v1/check 503", "post /v1/check 503"))
                .isEmpty(); // while it stops, and without memory
    }

    @Test
    void theAdminPort() {
        assertThat(admin("GET", "/openapi.yaml", "", "Authorization", "Bearer wrong")
                        .statusCode())
                .isEqualTo(401);
        OpenApiDocument document =
                new OpenApiDocument(admin("GET", "/openapi.yaml", "").body());
        service.get("/v1/check?ip=203.0.113.9&path=/few");
        service.get("/v1/check?ip=203.0.113.9&path=/few");
        for (String path : new String[] {
            "/openapi.yaml",
            "/v1/rules",
            "/v1/rules?compiled",
            "/v1/rules/versions",
            "/v1/rules/versions/1",
            "/v1/rules/versions/9",
            "/v1/keys/few/203.0.113.9",
            "/v1/keys/few/203.0.113.1",
            "/v1/keys/none/a",
            "/v1/keys/everything/",
            "/v1/offenders",
            "/v1/offenders?top=x",
            "/v1/live",
            "/v1/history",
            "/v1/history?rule=few&span=24h",
            "/v1/history?rule=*",
            "/v1/history?span=1y",
            "/v1/figures",
            "/v1/recording",
            "/v1/recording?last=soon",
            "/v1/status",
            "/metrics",
        }) {
            admin(document, "get", path, "");
        }
        admin(document, "get", "/v1/rules", "", "Accept", "application/yaml");
        admin(document, "get", "/v1/rules", "", "Authorization", "Bearer wrong");
        admin(document, "put", "/v1/rules", "rules: [{name: a}]");
        admin(document, "put", "/v1/rules", RULES, "If-Match", "\"1-00000000\"");
        admin(document, "put", "/v1/rules", "x".repeat(5 << 20));
        admin(document, "put", "/v1/rules", RULES, "Content-Type", "text/plain");
        admin(document, "put", "/v1/rules", RULES.replace("1 per 1h", "2 per 1h"));
        admin(document, "post", "/v1/rules/rollback?version=1", "", "If-Match", "\"1-00000000\"");
        admin(document, "post", "/v1/rules/rollback?version=1", "");
        admin(document, "post", "/v1/rules/rollback?version=99", "");
        admin(document, "post", "/v1/rules/rollback", "");
        String yaml = "application/yaml";
        admin(document, "post", "/v1/rules/check", RULES, "Content-Type", yaml);
        admin(document, "post", "/v1/rules/check", "rules: [{nam: a}]", "Content-Type", yaml);
        admin(document, "post", "/v1/rules/check", "x".repeat(5 << 20), "Content-Type", yaml);
        admin(document, "post", "/v1/rules/check", RULES, "Content-Type", "text/plain");
        admin(document, "post", "/v1/rules/try?last=5m", RULES, "Content-Type", yaml);
        admin(document, "post", "/v1/rules/try", "rules: [{nam: a}]", "Content-Type", yaml);
        String attributes = "{'attributes': {'ip': '203.0.113.9', 'path': '/few'}}";
        admin(document, "post", "/v1/explain", attributes, "Content-Type", JSON);
        admin(document, "post", "/v1/explain", attributes.replace("9.9", "113.1"), "Content-Type", JSON);
        admin(document, "post", "/v1/explain", "{}", "Content-Type", JSON);
        admin(document, "post", "/v1/explain", attributes);
        admin(document, "post", "/v1/explain", "x".repeat(70_000), "Content-Type", JSON);
        for (String key : new String[] {"/203.0.113.9%s", "%s?key=203.0.113.9"}) {
            overrides(document, key, "/block", "{'for': '10m', 'why': 'it <b>asked</b> too much'}");
            overrides(document, key, "/override", "{'for': '10m', 'limits': ['unlimited']}");
            admin(document, "get", "/v1/keys/none" + key.formatted(""), "");
            admin(document, "delete", "/v1/keys/few" + key.formatted(""), "");
            admin(document, "delete", "/v1/keys/none" + key.formatted(""), "");
        }
        assertThat(without(document, "get /v1/events 200")).isEmpty();
    }

    private void overrides(OpenApiDocument document, String key, String kind, String body) {
        String path = "/v1/keys/few" + key.formatted(kind);
        admin(document, "put", path, body, "Content-Type", JSON);
        admin(document, "get", "/v1/keys/few" + key.formatted(""), "");
        admin(document, "put", path, "{'for': 'ever'}", "Content-Type", JSON);
        admin(document, "put", path.replace("few", "none"), body, "Content-Type", JSON);
        admin(document, "delete", path, "");
        admin(document, "delete", path, "");
    }

    /** What is documented and was not seen, except for {@code untried}: a server that stops, a stream without an end. */
    private static Set<String> without(OpenApiDocument document, String... untried) {
        Set<String> rest = new TreeSet<>(document.responses());
        assertThat(rest).contains(untried);
        rest.removeAll(document.seen());
        rest.removeAll(Set.of(untried));
        return rest;
    }

    private HttpResponse<String> data(
            OpenApiDocument document, String method, String path, String body, String... headers) {
        HttpResponse<String> response = send(service.port(), method, path, body, headers);
        document.check(method, path, response);
        return response;
    }

    private void admin(OpenApiDocument document, String method, String path, String body, String... headers) {
        document.check(method, path, admin(method, path, body, headers));
    }

    private HttpResponse<String> admin(String method, String path, String body, String... headers) {
        return send(service.server().adminPort(), method, path, body, headers);
    }

    private HttpResponse<String> send(int port, String method, String path, String body, String... headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .setHeader("Authorization", "Bearer " + TOKEN)
                .method(
                        method.toUpperCase(java.util.Locale.ROOT),
                        body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(Service.json(body)));
        for (int i = 0; i < headers.length; i += 2) {
            request.setHeader(headers[i], headers[i + 1]);
        }
        return client.sendAsync(request.build(), BodyHandlers.ofString()).join();
    }

    /** A body that never comes. */
    private void slow(OpenApiDocument document, String path) throws IOException {
        try (Socket socket = service.connect()) {
            Service.write(socket, "POST " + path + " HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n{");
            InputStream in = socket.getInputStream();
            String response = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            assertThat(response).startsWith("HTTP/1.1 408");
            HttpResponse<String> parsed = new ParsedResponse(408, response);
            document.check("post", path, parsed);
        }
    }
}
