package dev.sluice.server.admin;

import dev.sluice.Decision.Source;
import dev.sluice.redis.RedisCounters;
import dev.sluice.redis.RedisStore;
import dev.sluice.rules.Request;
import dev.sluice.rules.Verdict;
import dev.sluice.rules.engine.RuleEngine;
import dev.sluice.rules.watch.Watcher;
import dev.sluice.server.admin.AdminAccess.Caller;
import dev.sluice.server.envoy.EnvoyFolder;
import dev.sluice.server.envoy.RateLimitListener;
import dev.sluice.server.history.Counted;
import dev.sluice.server.history.HistoryRecorder;
import dev.sluice.server.history.Row;
import dev.sluice.server.metrics.Metrics;
import dev.sluice.server.metrics.Offenders;
import dev.sluice.server.metrics.VerdictCounters;
import dev.sluice.server.ruleset.RuleUpdater;
import dev.sluice.server.web.BodyBudget;
import dev.sluice.server.web.HttpProblem;
import dev.sluice.server.web.OpenApi;
import dev.sluice.server.web.PortHandler;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Everything on the admin port: the paths under {@code /v1}, {@code /metrics}, and pages, all of them for the same callers.
 */
public final class AdminPort implements PortHandler, AutoCloseable {
    private static final String PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8";
    private static final int MAX_EXPLAIN_BYTES = 64 * 1024;
    private static final int MAX_OFFENDERS = 100;
    private static final int DEFAULT_OFFENDERS = 20;

    private final Vertx vertx;
    private final RuleEngine engine;
    private final BodyBudget budget;
    private final Handler<HttpServerRequest> pages;
    private final AdminAccess access;
    private final EventStream events;
    private final VerdictCounters counters;
    private final Metrics metrics = new Metrics();
    private final AdminMetrics own = new AdminMetrics(metrics);
    private final RulesHandler rules;
    private final KeysHandler keys;
    private final StatusHandler status;
    private final RecordingHandler recording;
    private final HistoryRecorder history;
    private final LiveHandler live;
    private final FiguresHandler figures;
    private final SharedReads reads;
    private final OpenApi openApi = OpenApi.ofAdminPort();

    /** With a handler for all other paths. */
    public AdminPort(
            Vertx vertx,
            RuleEngine engine,
            RuleUpdater updater,
            AdminOptions options,
            Handler<HttpServerRequest> pages) {
        this.vertx = vertx;
        this.reads = new SharedReads(vertx);
        this.engine = engine;
        this.pages = pages;
        this.budget = options.traffic().budget();
        this.access = new AdminAccess(options.tokens());
        this.events = new EventStream(vertx);
        Source usual = options.store() instanceof RedisStore ? Source.REDIS : Source.LOCAL;
        this.counters = new VerdictCounters(events, usual);
        this.rules = new RulesHandler(
                updater,
                engine,
                new TrialHandler(vertx, engine, updater.active(), options.recorder()),
                options.storeShown());
        this.keys = new KeysHandler(engine, updater, events, options.audit(), counters.keys());
        RuleChangeReporter reporter = new RuleChangeReporter(engine, counters, events, options.audit());
        updater.active().listener(reporter);
        engine.listener(counters);
        List<Watcher> watchers = watchers(updater, options);
        EnvoyReporter envoy = envoy(options.envoy());
        this.status = new StatusHandler(updater.active(), envoy, watchers, options.store());
        this.recording = new RecordingHandler(vertx, options.recorder());
        this.history = new HistoryRecorder(
                        reader -> readCounters(reader, options),
                        engine::waiting,
                        usual,
                        counters.keys(),
                        options.history())
                .begin();
        this.live = new LiveHandler(engine, options.store(), history, options.envoy());
        this.figures = new FiguresHandler(history, options.history().target());
        own.show(figures);
        own.show(updater, reporter);
        watchers.forEach(metrics::show);
        if (envoy != null) {
            own.show(envoy);
        }
        show(options);
    }

    private void show(AdminOptions options) {
        metrics.show(counters);
        own.show(events);
        own.show(access, options.audit());
        options.tls().forEach(metrics::show);
        metrics.show(options.traffic());
        metrics.show(options.store());
        if (options.recorder() != null) {
            metrics.show(options.recorder());
        }
        if (options.store() instanceof RedisStore redis) {
            new StoreWatch(vertx, redis, events).begin();
        }
    }

    private void readCounters(Counted.Reader reader, AdminOptions options) {
        counters.read(reader, options.traffic().errors());
        if (options.store() instanceof RedisStore redis) {
            RedisCounters now = redis.counters();
            reader.row(
                    Row.POLICY,
                    new long[] {now.allowedByPolicy(), now.deniedByPolicy(), now.decidedLocally()}); // POLICY_COLUMNS
        }
    }

    private static List<Watcher> watchers(RuleUpdater updater, AdminOptions options) {
        List<Watcher> all = new ArrayList<>();
        all.add(updater.watcher());
        if (options.envoy() != null) {
            all.add(options.envoy().watcher());
        }
        all.addAll(options.watchers());
        return List.copyOf(all);
    }

    private @Nullable EnvoyReporter envoy(@Nullable EnvoyFolder folder) {
        if (folder == null) {
            return null;
        }
        EnvoyReporter reporter = new EnvoyReporter(folder, counters, events);
        folder.listener(reporter);
        return reporter;
    }

    /** Hears of what is decided for Envoy without rules. */
    public RateLimitListener rateLimits() {
        return counters;
    }

    EventStream events() {
        return events;
    }

    /** Records the time from the arrival of a check to its verdict. Allocates nothing. */
    public void took(long nanos) {
        counters.took(nanos);
    }

    /** The same, with the verdict. */
    public void took(long nanos, Verdict verdict) {
        counters.took(nanos, verdict);
    }

    @Override
    public void handle(HttpServerRequest request) {
        Caller caller = access.authenticate(request);
        if (caller == null) {
            return;
        }
        String path = request.path() == null ? "/" : request.path();
        if (path.equals(OpenApi.PATH)) {
            AdminRequest.secure(request.response());
            openApi.handle(request);
            return;
        }
        if (!path.startsWith("/v1/") && !path.equals("/metrics")) {
            page(request);
            return;
        }
        try {
            AdminRequest admin = new AdminRequest(vertx, budget, request, caller);
            try {
                route(admin);
            } catch (RuntimeException e) {
                admin.fail(e);
            }
        } catch (HttpProblem badPath) {
            AdminRequest.send(request, badPath);
        }
    }

    /** Whatever goes wrong gets an answer: Vert.x gives none to a request whose handler throws. */
    private void page(HttpServerRequest request) {
        try {
            pages.handle(request);
        } catch (RuntimeException e) {
            AdminRequest.fail(request, e);
        }
    }

    private void route(AdminRequest request) {
        switch (request.path.size() < 2 ? "metrics" : request.path.get(1)) {
            case "rules" -> rules.handle(request);
            case "keys" -> keys.handle(request);
            case "explain" -> explain(request);
            case "metrics" -> read(request, this::metrics);
            case "offenders" -> read(request, this::offenders);
            case "status" -> read(request, status::handle);
            case "events" -> events(request);
            case "recording" -> recording.handle(request);
            case "live" -> read(request, this::live);
            case "history" -> read(request, this::history);
            case "figures" -> read(request, this::figures);
            default ->
                request.notFound(
                        "there are /v1/rules, /v1/explain, /v1/keys, /v1/offenders, /v1/events, /v1/live, /v1/history,"
                                + " /v1/figures, /v1/recording and /v1/status");
        }
    }

    private static void read(AdminRequest request, Handler<AdminRequest> handler) {
        if (request.isRead()) {
            handler.handle(request);
        } else {
            request.wrongMethod("GET");
        }
    }

    private void live(AdminRequest request) {
        read(request, "live", () -> live.json().encode());
    }

    private void history(AdminRequest request) {
        String rule = request.parameter("rule");
        String span = request.parameter("span");
        String what = new JsonArray().add(span).add(rule).encode(); // no two are the same
        read(request, what, () -> figures.history(rule, span).encode());
    }

    private void figures(AdminRequest request) {
        read(request, "figures", () -> figures.figures().encodePrettily() + "\n");
    }

    private void read(AdminRequest request, String what, Supplier<String> answer) {
        request.when(reads.read(what, live.madeOf(), answer), body -> request.send(200, "application/json", body));
    }

    private void events(AdminRequest request) {
        if (request.isMethod("GET")) {
            events.serve(request.http);
        } else {
            request.wrongMethod("GET");
        }
    }

    private void metrics(AdminRequest request) {
        request.when(vertx.executeBlocking(metrics::scrape, false), text -> request.send(200, PROMETHEUS, text));
    }

    private void offenders(AdminRequest request) {
        Long asked = request.number("top");
        int max = asked == null ? DEFAULT_OFFENDERS : (int) Math.min(asked, MAX_OFFENDERS);
        Offenders.Top top = counters.offenders().top(max);
        JsonArray offenders = new JsonArray();
        for (Offenders.Count count : top.top()) {
            offenders.add(new JsonObject()
                    .put("rule", count.offender().rule())
                    .put("key", count.offender().key())
                    .put("atLeast", count.atLeast())
                    .put("atMost", count.atMost()));
        }
        request.json(
                200,
                new JsonObject()
                        .put("overSeconds", top.over().toSeconds())
                        .put("denials", top.denials())
                        .put("offenders", offenders));
    }

    private void explain(AdminRequest request) {
        if (!request.isMethod("POST")) {
            request.wrongMethod("POST");
            return;
        }
        request.json(
                MAX_EXPLAIN_BYTES,
                List.of("attributes", "cost", "leaseMs"),
                body -> request.when(
                        engine.explain(checked(body)),
                        explanation -> request.json(200, DecisionJson.explanation(explanation))));
    }

    private static Request checked(JsonObject body) {
        if (!(body.getValue("attributes") instanceof JsonObject attributes)) {
            throw AdminRequest.badRequest("\"attributes\" must be an object like {\"ip\": \"203.0.113.9\"}");
        }
        Map<String, String> values = new LinkedHashMap<>();
        for (Map.Entry<String, Object> attribute : attributes) {
            if (!(attribute.getValue() instanceof String value)) {
                throw AdminRequest.badRequest("attribute " + HttpProblem.quoted(attribute.getKey())
                        + " must be a string, was " + attribute.getValue());
            }
            values.put(attribute.getKey(), value);
        }
        Object cost = body.getValue("cost", 1);
        if (!(cost instanceof Integer || cost instanceof Long)) {
            throw AdminRequest.badRequest("\"cost\" must be a whole number from 0, was " + cost);
        }
        try {
            return Request.of(values, ((Number) cost).longValue());
        } catch (IllegalArgumentException e) {
            throw AdminRequest.badRequest(String.valueOf(e.getMessage()));
        }
    }

    /** Stops the metrics and the history. The rule updater, the audit log and the server are closed by their owners. */
    @Override
    public void close() {
        history.close();
        metrics.close();
    }
}
