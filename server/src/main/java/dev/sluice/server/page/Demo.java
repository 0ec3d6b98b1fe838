package dev.sluice.server.page;

import dev.sluice.Store;
import dev.sluice.rules.QuotaExceeded;
import dev.sluice.rules.RateLimitHeaders;
import dev.sluice.rules.Request;
import dev.sluice.rules.Verdict;
import dev.sluice.rules.engine.RuleEngine;
import dev.sluice.rules.file.RuleFile;
import dev.sluice.server.web.HttpProblem;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonObject;
import java.util.Map;
import java.util.Objects;

/**
 * A page on which to try the script for browsers, and what it calls: an order, a message and prices, each behind a limit of
 * its own. They are limited by rules of the page, in this server alone, and take nothing from the rules in force.
 */
public final class Demo implements Handler<HttpServerRequest> {
    private static final String ROOT = "/demo";
    private static final String RULES = """
            rules:
              - name: demo-orders
                when: { path: /demo/order }
                limits: [1 per 5s sliding-log]
              - name: demo-messages
                when: { path: /demo/message }
                limits: [1 per 5s sliding-log]
              - name: demo-prices
                when: { path: /demo/prices }
                limits: [2 per 3s sliding-log]
            """;
    private static final Map<String, String> FIELDS = Map.of(
            "Cache-Control",
            "no-cache",
            "Referrer-Policy",
            "no-referrer",
            "Content-Security-Policy",
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self';"
                    + " form-action 'self'; base-uri 'none'; frame-ancestors 'none'");

    /** Made when the page is first asked for. */
    private static final class Files {
        static final StaticFile PAGE = StaticFile.of("demo.html");
        static final StaticFile SCRIPT = StaticFile.of("demo.js");
        static final StaticFile STYLE = StaticFile.of("demo.css");
    }

    private static final class Limits {
        static final RuleEngine ENGINE = new RuleEngine(Store.local(), RuleFile.parse("the rules of the demo", RULES));
    }

    /** Whether a path is one of the page. */
    public static boolean isAt(String path) {
        return path.equals(ROOT) || path.startsWith(ROOT + "/");
    }

    @Override
    public void handle(HttpServerRequest request) {
        String path = Objects.requireNonNullElse(request.path(), ROOT);
        switch (path) {
            case ROOT ->
                read(
                        request,
                        () -> request.response()
                                .setStatusCode(308)
                                .putHeader("Location", ROOT + "/")
                                .end());
            case ROOT + "/" -> read(request, () -> Files.PAGE.send(request, FIELDS));
            case ROOT + "/demo.js" -> read(request, () -> Files.SCRIPT.send(request, FIELDS));
            case ROOT + "/demo.css" -> read(request, () -> Files.STYLE.send(request, FIELDS));
            case ROOT + "/prices" -> read(request, () -> limited(request, path));
            case ROOT + "/order", ROOT + "/message" -> {
                if (request.method().equals(HttpMethod.POST)) {
                    limited(request, path);
                } else {
                    HttpProblem.sendWrongMethod(request, "POST");
                }
            }
            default -> HttpProblem.of(404, "there is nothing at " + path).send(request);
        }
    }

    private static void read(HttpServerRequest request, Runnable answer) {
        if (request.method().equals(HttpMethod.GET) || request.method().equals(HttpMethod.HEAD)) {
            answer.run();
        } else {
            HttpProblem.sendWrongMethod(request, "GET, HEAD");
        }
    }

    /** The store is in this process and no rule waits, so the verdict is there at once. */
    private static void limited(HttpServerRequest request, String path) {
        Verdict verdict = Limits.ENGINE
                .check(Request.builder().with("path", path).build())
                .join();
        RateLimitHeaders.set(verdict, request.response()::putHeader);
        request.response().putHeader("Cache-Control", "no-store");
        if (verdict.allowed()) {
            request.response().putHeader("Content-Type", "application/json").end("{\"done\":true}\n");
        } else {
            request.response()
                    .setStatusCode(QuotaExceeded.STATUS)
                    .putHeader("Content-Type", QuotaExceeded.MEDIA_TYPE)
                    .end(new JsonObject(QuotaExceeded.members(verdict)).encode() + "\n");
        }
    }
}
