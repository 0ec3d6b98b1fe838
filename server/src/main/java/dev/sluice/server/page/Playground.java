package dev.sluice.server.page;

import dev.sluice.simulate.Algorithm;
import dev.sluice.simulate.Picture;
import dev.sluice.simulate.Scenario;
import dev.sluice.simulate.Simulation;
import dev.sluice.simulate.Traffic;
import io.vertx.core.Handler;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Serves the page that shows what a limit does to traffic, and the pictures on it. The real limiters run the simulation on
 * a worker thread; {@link Scenario} bounds how much work one request can ask for.
 */
public final class Playground implements Handler<HttpServerRequest> {
    private static final int DEFAULT_WIDTH = 860;
    /** Allows no scripts, styles or pictures of other sites. The pictures have inline styles. */
    private static final String POLICY = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline';"
            + " img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

    private final Vertx vertx;
    private final String page = resource("playground.html")
            .replace("<!--algorithms-->", algorithms())
            .replace("<!--shapes-->", shapes());
    private final String script = resource("playground.js");
    private final String style = resource("playground.css");

    public Playground(Vertx vertx) {
        this.vertx = vertx;
    }

    @Override
    public void handle(HttpServerRequest request) {
        if (!onlyReads(request)) {
            return;
        }
        switch (Objects.requireNonNullElse(request.path(), "/")) {
            case "/" -> send(request, "text/html", page);
            case "/playground.js" -> send(request, "text/javascript", script);
            case "/playground.css" -> send(request, "text/css", style);
            case "/simulate.svg" -> simulate(request);
            default -> refuse(request, 404, "no such page: " + request.path());
        }
    }

    private void simulate(HttpServerRequest request) {
        MultiMap parameters = request.params();
        vertx.executeBlocking(() -> draw(parameters), false).onComplete(drawn -> {
            if (drawn.succeeded()) {
                send(request, "image/svg+xml", drawn.result());
            } else if (drawn.cause() instanceof IllegalArgumentException bad) {
                refuse(request, 400, String.valueOf(bad.getMessage()));
            } else {
                refuse(request, 500, "the picture could not be drawn: " + drawn.cause());
            }
        });
    }

    private static String draw(MultiMap parameters) {
        Map<String, String> values = new HashMap<>();
        for (String name : parameters.names()) {
            values.put(name, String.join(",", parameters.getAll(name)));
        }
        int width = width(values.remove("width"));
        Scenario scenario = Scenario.parse(values);
        List<Simulation> simulations = scenario.run();
        return Picture.draw(scenario.summary(), simulations, width);
    }

    private static int width(@Nullable String text) {
        if (text == null) {
            return DEFAULT_WIDTH;
        }
        if (!text.matches("\\d{1,4}")) {
            throw new IllegalArgumentException("width must be a whole number from " + Picture.MIN_WIDTH + " to "
                    + Picture.MAX_WIDTH + ", was '" + text + "'");
        }
        return Integer.parseInt(text);
    }

    /** Whether the request is a GET or HEAD; if not, it has been refused. */
    private static boolean onlyReads(HttpServerRequest request) {
        if (request.method().equals(HttpMethod.GET) || request.method().equals(HttpMethod.HEAD)) {
            return true;
        }
        request.response().putHeader("Allow", "GET, HEAD");
        refuse(request, 405, "only GET and HEAD here, was " + request.method());
        return false;
    }

    private static void refuse(HttpServerRequest request, int status, String line) {
        request.response()
                .setStatusCode(status)
                .putHeader("Content-Type", "text/plain; charset=utf-8")
                .putHeader("X-Content-Type-Options", "nosniff")
                .putHeader("Cache-Control", "no-store")
                .end(line + "\n");
    }

    private static void send(HttpServerRequest request, String type, String body) {
        request.response()
                .putHeader("Content-Type", type + "; charset=utf-8")
                .putHeader("Content-Security-Policy", POLICY)
                .putHeader("X-Content-Type-Options", "nosniff")
                .putHeader("Referrer-Policy", "no-referrer")
                .putHeader("Cache-Control", "no-store")
                .end(body);
    }

    private static String algorithms() {
        StringBuilder html = new StringBuilder();
        for (Algorithm algorithm : Algorithm.values()) {
            html.append("<label class=\"check\" title=\"")
                    .append(algorithm.summary())
                    .append("\"><input type=\"checkbox\" name=\"algorithm\" value=\"")
                    .append(algorithm.text())
                    .append("\"> ")
                    .append(algorithm.text())
                    .append("</label>\n");
        }
        return html.toString();
    }

    private static String shapes() {
        StringBuilder html = new StringBuilder();
        for (Traffic.Shape shape : Traffic.Shape.values()) {
            html.append("<option value=\"")
                    .append(shape.text())
                    .append("\" title=\"")
                    .append(shape.summary())
                    .append("\">")
                    .append(shape.text())
                    .append("</option>\n");
        }
        return html.toString();
    }

    private static String resource(String name) {
        try (InputStream in = Playground.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException("not in this build: " + name);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
