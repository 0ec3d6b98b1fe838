package dev.sluice.server.page;

import dev.sluice.server.web.HttpProblem;
import dev.sluice.simulate.Picture;
import dev.sluice.simulate.PictureStyle;
import dev.sluice.simulate.PictureText;
import dev.sluice.simulate.Scenario;
import dev.sluice.simulate.Simulation;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.json.JsonObject;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Serves the page that shows what a limit does to traffic, what it draws, and the calculator beside it. The real limiters
 * run the simulation, one at a time on a worker thread; {@link Scenario} bounds how much work one request can ask for. Their
 * number is bounded, and those whose clients have gone are not run.
 */
public final class Playground implements Handler<HttpServerRequest> {
    private static final int DEFAULT_WIDTH = 860;
    /** A simulation takes a fraction of a second, and its result up to some megabytes. */
    private static final int MAX_PENDING = 64;

    private static final String WIDTH = "width";
    private static final String LANGUAGE = "language";
    private static final String JSON = "application/json";
    /** Allows no scripts, styles or pictures of other sites, and none inline. */
    private static final Map<String, String> FIELDS = Map.of(
            "Cache-Control",
            "no-cache",
            "Referrer-Policy",
            "no-referrer",
            "Content-Security-Policy",
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self';"
                    + " form-action 'self'; base-uri 'none'; frame-ancestors 'none'");
    /** A picture by itself has a style element of its own. */
    private static final String PICTURE_POLICY =
            "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'";

    private static final List<String> FILES = List.of(
            "playground.html",
            "playground.js",
            "playground.css",
            "play-state.js",
            "play-animate.js",
            "play-draw.js",
            "play-en.json",
            "play-zh.json",
            "capacity.html",
            "capacity.js");

    /** Read when a page is first asked for. */
    private static final class Files {
        static final Map<String, StaticFile> BY_PATH =
                FILES.stream().collect(Collectors.toUnmodifiableMap(Playground::path, StaticFile::of));
    }

    private static final class Words {
        static final Map<String, PictureText> BY_LANGUAGE =
                Map.of("en", PictureText.english(), "zh", PictureText.of(texts("play-zh.json")));
    }

    private final WorkerExecutor worker;
    /** Requests that wait for their turn, and those whose response has not been taken by its client. */
    private final AtomicInteger pending = new AtomicInteger();

    public Playground(Vertx vertx) {
        this.worker = vertx.createSharedWorkerExecutor("sluice-playground", 1);
    }

    /** Where a file is: a page has a path without the ending. */
    private static String path(String file) {
        return "/" + (file.endsWith(".html") ? file.substring(0, file.length() - ".html".length()) : file);
    }

    static Map<String, String> texts(String file) {
        Map<String, String> texts = new HashMap<>();
        for (Map.Entry<String, Object> entry : new JsonObject(StaticFile.text(file))) {
            texts.put(entry.getKey(), entry.getValue().toString());
        }
        return texts;
    }

    @Override
    public void handle(HttpServerRequest request) {
        if (!isRead(request)) {
            HttpProblem.sendWrongMethod(request, "GET, HEAD");
            return;
        }
        String path = Objects.requireNonNullElse(request.path(), "/");
        switch (path) {
            case "/simulate.svg" -> {
                request.response().putHeader("Content-Security-Policy", PICTURE_POLICY);
                work(request, "image/svg+xml", Playground::picture);
            }
            case "/simulate.json" -> work(request, JSON, Playground::json);
            case "/capacity.json" ->
                work(request, JSON, values -> Capacity.of(values).json().encode());
            default -> {
                StaticFile file = Files.BY_PATH.get(path);
                if (file == null) {
                    HttpProblem.of(404, "no such page: " + path).send(request);
                } else {
                    file.send(request, FIELDS);
                }
            }
        }
    }

    private static boolean isRead(HttpServerRequest request) {
        return request.method().equals(HttpMethod.GET) || request.method().equals(HttpMethod.HEAD);
    }

    private static String picture(Map<String, String> values) {
        int width = width(values.remove(WIDTH));
        PictureText words = words(values.remove(LANGUAGE));
        Scenario scenario = Scenario.parse(values);
        return draw(scenario, scenario.run(), width, words, PictureStyle.READERS_CHOICE);
    }

    /** The numbers and decisions, and the picture, without colours, if a width is given. */
    private static String json(Map<String, String> values) {
        @Nullable String width = values.remove(WIDTH);
        PictureText words = words(values.remove(LANGUAGE));
        Scenario scenario = Scenario.parse(values);
        List<Simulation> simulations = scenario.run();
        JsonObject json = SimulationJson.of(scenario, simulations);
        if (width != null) {
            json.put("picture", draw(scenario, simulations, width(width), words, PictureStyle.NONE));
        }
        return json.encode();
    }

    private static String draw(
            Scenario scenario, List<Simulation> simulations, int width, PictureText words, PictureStyle style) {
        return Picture.draw(words.scenario(scenario), simulations, width, words, style);
    }

    /** Answers with what a task makes of the parameters; a value that it refuses is the client's mistake. */
    private void work(HttpServerRequest request, String type, Function<Map<String, String>, String> task) {
        Map<String, String> values;
        try {
            values = values(request);
        } catch (IllegalArgumentException e) {
            refuse(request, e);
            return;
        }
        HttpServerResponse response = request.response();
        if (pending.incrementAndGet() > MAX_PENDING) {
            pending.decrementAndGet();
            response.putHeader("Retry-After", "2");
            HttpProblem.of(503, "too many simulations are asked for at once; try again in a moment")
                    .send(request);
            return;
        }
        AtomicBoolean gone = new AtomicBoolean();
        response.closeHandler(closed -> gone.set(true));
        worker.executeBlocking(() -> gone.get() ? "" : task.apply(values), false)
                .compose(
                        result -> gone.get() ? Future.<Void>succeededFuture() : send(request, type, result),
                        failure -> refuse(request, failure))
                .onComplete(sent -> pending.decrementAndGet());
    }

    private static Future<Void> send(HttpServerRequest request, String type, String body) {
        return request.response()
                .putHeader("Content-Type", type + "; charset=utf-8")
                .putHeader("X-Content-Type-Options", "nosniff")
                .putHeader("Referrer-Policy", "no-referrer")
                .putHeader("Cache-Control", "no-store")
                .end(request.method().equals(HttpMethod.HEAD) ? "" : body);
    }

    private static Future<Void> refuse(HttpServerRequest request, Throwable failure) {
        if (failure instanceof IllegalArgumentException) {
            HttpProblem.badRequest(String.valueOf(failure.getMessage())).send(request);
        } else {
            HttpProblem.of(500, "this could not be simulated: " + failure).send(request);
        }
        return Future.succeededFuture();
    }

    private static Map<String, String> values(HttpServerRequest request) {
        MultiMap parameters;
        try {
            parameters = request.params();
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("in the query a '%' is not followed by two hexadecimal digits", e);
        }
        Map<String, String> values = new HashMap<>();
        for (String name : parameters.names()) {
            values.put(name, String.join(",", parameters.getAll(name)));
        }
        return values;
    }

    private static PictureText words(@Nullable String language) {
        @Nullable PictureText words = Words.BY_LANGUAGE.get(language == null ? "en" : language);
        if (words == null) {
            throw new IllegalArgumentException("language must be en or zh, was '" + language + "'");
        }
        return words;
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
}
