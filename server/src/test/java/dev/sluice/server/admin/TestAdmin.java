package dev.sluice.server.admin;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.Store;
import dev.sluice.redis.RedisStore;
import dev.sluice.redis.servers.Eventually;
import dev.sluice.rules.Request;
import dev.sluice.rules.Verdict;
import dev.sluice.rules.engine.RuleEngine;
import dev.sluice.server.metrics.Traffic;
import dev.sluice.server.ruleset.InitialRules;
import dev.sluice.server.ruleset.RuleUpdater;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.file.FileSystemOptions;
import io.vertx.core.http.HttpServer;
import io.vertx.core.json.JsonObject;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** A server with nothing but its admin port, on a port of its own on loopback. */
final class TestAdmin implements AutoCloseable {
    static final String RULES = """
            rules:
              - name: login-per-ip
                when: { path: /login }
                key: [ip]
                limits: [2 per 1h sliding-log]
              - name: everything
                limits: [1000 per 1h fixed-window]
            """;

    private static final InitialRules BUILT_IN = InitialRules.builtIn("built-in", RULES);
    private static final Duration PATIENCE = Duration.ofSeconds(15);
    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    private final Vertx vertx = Vertx.vertx(new VertxOptions()
            .setEventLoopPoolSize(2)
            .setFileSystemOptions(
                    new FileSystemOptions().setFileCachingEnabled(false).setClassPathResolvingEnabled(false)));
    private final Store store;
    final RuleEngine engine;
    final RuleUpdater updater;
    final AdminPort port;
    private final HttpServer server;
    private final ByteArrayOutputStream audit = new ByteArrayOutputStream();

    private TestAdmin(AdminTokens tokens, InitialRules start, @Nullable String redis) {
        this.store = redis == null ? Store.local() : RedisStore.connect(redis);
        this.engine = new RuleEngine(store, start.rules());
        this.updater =
                redis == null ? RuleUpdater.local(engine, start) : RuleUpdater.shared(engine, start, redis, "sluice");
        AdminOptions options = AdminOptions.of(tokens, AuditLog.to(audit), store, Traffic.none(engine))
                .storeShown(redis == null ? "memory" : redis);
        this.port = new AdminPort(
                vertx, engine, updater, options, rest -> rest.response().end("the rest"));
        this.server = vertx.createHttpServer()
                .requestHandler(port)
                .listen(0, "127.0.0.1")
                .toCompletionStage()
                .toCompletableFuture()
                .join();
    }

    static TestAdmin start() {
        return new TestAdmin(AdminTokens.none(), BUILT_IN, null);
    }

    static TestAdmin withTokens(String tokens) {
        return new TestAdmin(AdminTokens.parse(tokens), BUILT_IN, null);
    }

    static TestAdmin onFile(Path file) {
        return new TestAdmin(AdminTokens.none(), InitialRules.of(file), null);
    }

    static TestAdmin onRedis(String url) {
        return new TestAdmin(AdminTokens.none(), BUILT_IN, url);
    }

    static TestAdmin onRedis(String url, Path file) {
        return new TestAdmin(AdminTokens.none(), InitialRules.of(file), url);
    }

    int number() {
        return server.actualPort();
    }

    String url(String path) {
        return "http://127.0.0.1:" + number() + path;
    }

    HttpResponse<String> get(String path, String... headers) {
        return send("GET", path, "", headers);
    }

    /** Headers as name, value, name, value. */
    HttpResponse<String> send(String method, String path, String body, String... headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url(path)))
                .method(method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
        if (headers.length > 0) {
            request.headers(headers);
        }
        try {
            return CLIENT.send(request.build(), BodyHandlers.ofString());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    HttpResponse<String> put(String path, String json) {
        return send("PUT", path, json, "Content-Type", "application/json");
    }

    HttpResponse<String> putRules(String yaml, String... headers) {
        return send("PUT", "/v1/rules", yaml, headers);
    }

    HttpResponse<String> post(String path, String json) {
        return send("POST", path, json, "Content-Type", "application/json");
    }

    JsonObject json(String path) {
        return new JsonObject(get(path).body());
    }

    Verdict check(String... attributes) {
        Map<String, String> all = new java.util.LinkedHashMap<>();
        for (int i = 0; i < attributes.length; i += 2) {
            all.put(attributes[i], attributes[i + 1]);
        }
        return engine.check(Request.of(all, 1)).join();
    }

    Verdict login(String ip) {
        return check("ip", ip, "path", "/login");
    }

    List<String> ruleNames() {
        return engine.rules().rules().stream().map(rule -> rule.name()).toList();
    }

    List<JsonObject> audited() {
        return audit.toString(UTF_8).lines().map(JsonObject::new).toList();
    }

    /** The value of a metric, by its name and labels as Prometheus shows them; -1 if it is not there. */
    double metric(String name) {
        return get("/metrics")
                .body()
                .lines()
                .filter(line -> line.startsWith(name + " "))
                .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 1)))
                .findFirst()
                .orElse(-1);
    }

    static void eventually(String what, BooleanSupplier condition) {
        Eventually.holds(what, PATIENCE, condition);
    }

    @Override
    public void close() {
        updater.close();
        port.close();
        vertx.close().toCompletionStage().toCompletableFuture().join();
        store.close();
    }
}
