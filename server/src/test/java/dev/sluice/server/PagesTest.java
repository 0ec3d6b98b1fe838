package dev.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.server.admin.AdminTokens;
import dev.sluice.server.admin.AuditLog;
import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The pages of the admin port as files over HTTP. */
class PagesTest {
    private static final String RULES = "rules: [{ name: all, limits: [5 per 1h] }]";
    private static final HttpClient CLIENT =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private static final Service SERVICE = Service.with(RULES);

    @AfterAll
    static void stop() {
        SERVICE.close();
    }

    private static HttpResponse<String> ask(Service of, String method, String path, String... headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(
                        URI.create("http://127.0.0.1:" + of.server().adminPort() + path))
                .method(method, BodyPublishers.noBody());
        for (int i = 0; i < headers.length; i += 2) {
            request.header(headers[i], headers[i + 1]);
        }
        return CLIENT.sendAsync(request.build(), BodyHandlers.ofString()).join();
    }

    @ParameterizedTest
    @CsvSource({
        "/,text/html",
        "/?anything,text/html",
        "/rule?name=all,text/html",
        "/rules,text/html",
        "/explain,text/html",
        "/page.css,text/css",
        "/page.js,text/javascript",
        "/live.js,text/javascript",
        "/uplot.js,text/javascript",
        "/text-en.json,application/json",
        "/text-zh.json,application/json",
    })
    void eachIsServedWithItsTypeAndPolicy(String path, String type) {
        HttpResponse<String> response = ask(SERVICE, "GET", path);
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.headers().firstValue("Content-Type")).hasValue(type + "; charset=utf-8");
        assertThat(response.headers().firstValue("Content-Security-Policy"))
                .hasValue("default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
                        + " connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'");
        assertThat(response.headers().firstValue("X-Content-Type-Options")).hasValue("nosniff");
        String tag = response.headers().firstValue("ETag").orElseThrow();
        assertThat(ask(SERVICE, "GET", path, "If-None-Match", tag).statusCode()).isEqualTo(304);
        HttpResponse<String> head = ask(SERVICE, "HEAD", path);
        assertThat(head.statusCode()).isEqualTo(200);
        assertThat(head.body()).isEmpty();
        HttpResponse<String> post = ask(SERVICE, "POST", path);
        assertThat(post.statusCode()).isEqualTo(405);
        assertThat(post.headers().firstValue("Allow")).hasValue("GET, HEAD");
    }

    @Test
    void whatIsNoPageIsNotThere() {
        for (String path : new String[] {"/rules/", "/page.html", "/uplot-LICENSE", "/../rules", "/%2e%2e/page.js"}) {
            assertThat(ask(SERVICE, "GET", path).statusCode()).as(path).isEqualTo(404);
        }
    }

    @Test
    void aTokenGuardsThePages() {
        ServerSettings guarded = Service.settings(RULES)
                .guarded(AdminTokens.parse("0123456789abcdef"), AuditLog.to(new ByteArrayOutputStream()));
        try (Service locked = new Service(guarded)) {
            HttpResponse<String> refused = ask(locked, "GET", "/");
            assertThat(refused.statusCode()).isEqualTo(401);
            assertThat(refused.headers().allValues("WWW-Authenticate"))
                    .as("a browser asks its user, if this stands in a field of its own")
                    .contains("Basic realm=\"sluice\"");
            assertThat(ask(locked, "GET", "/page.js").statusCode()).isEqualTo(401);
            assertThat(ask(locked, "GET", "/", "Authorization", "Bearer 0123456789abcdef")
                            .statusCode())
                    .isEqualTo(200);
        }
    }
}
