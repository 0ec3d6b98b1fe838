package dev.sluice.server.admin;

import dev.sluice.redis.RedisStore;
import dev.sluice.rules.Request;
import dev.sluice.rules.RuleEngine;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Everything on the admin port: its own paths under {@code /v1} and {@code /metrics}, and whatever else there is behind the
 * same door.
 */
public final class AdminPort implements Handler<HttpServerRequest>, AutoCloseable {
    private static final String PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8";
    private static final int MOST_EXPLAIN_BYTES = 64 * 1024;
    private static final int MOST_OFFENDERS = 100;
    private static final int USUAL_OFFENDERS = 20;

    private final Vertx vertx;
    private final RuleEngine engine;
    private final Handler<HttpServerRequest> rest;
    private final AdminGate gate;
    private final EventStream events;
    private final Telemetry telemetry;
    private final Metrics metrics = new Metrics();
    private final RulesDesk rules;
    private final KeysDesk keys;

    /** With a handler for the paths that are not its own. */
    public AdminPort(
            Vertx vertx, RuleEngine engine, RuleSource source, AdminOptions options, Handler<HttpServerRequest> rest) {
        this.vertx = vertx;
        this.engine = engine;
        this.rest = rest;
        this.gate = new AdminGate(options.tokens());
        this.events = new EventStream(vertx);
        this.telemetry = new Telemetry(events);
        this.rules = new RulesDesk(source);
        this.keys = new KeysDesk(vertx, engine, source, events, options.audit());
        RuleReport report = new RuleReport(engine, telemetry.byRule, events, options.audit());
        source.rules().listener(report);
        engine.listener(telemetry);
        metrics.show(telemetry);
        metrics.show(events);
        metrics.show(gate, options.audit());
        metrics.show(source, report);
        RedisStore store = options.store();
        if (store != null) {
            metrics.showStore(store::counters);
            new StoreWatch(vertx, store, events).begin();
        }
    }

    EventStream events() {
        return events;
    }

    /** A check took so long, from its arrival to the verdict. Allocates nothing. */
    public void took(long nanos) {
        telemetry.latency.took(nanos);
    }

    @Override
    public void handle(HttpServerRequest request) {
        Caller caller = gate.enter(request);
        if (caller == null) {
            return;
        }
        String path = request.path() == null ? "/" : request.path();
        if (!path.startsWith("/v1/") && !path.equals("/metrics")) {
            rest.handle(request);
            return;
        }
        try {
            Exchange exchange = new Exchange(request, caller);
            try {
                route(exchange);
            } catch (RuntimeException e) {
                exchange.refuse(e);
            }
        } catch (HttpProblem.Refusal badPath) {
            badPath.problem.answer(request);
        }
    }

    private void route(Exchange exchange) {
        switch (exchange.path.size() < 2 ? "metrics" : exchange.path.get(1)) {
            case "rules" -> rules.handle(exchange);
            case "keys" -> keys.handle(exchange);
            case "explain" -> explain(exchange);
            case "metrics" -> reading(exchange, this::metrics);
            case "offenders" -> reading(exchange, this::offenders);
            case "events" -> listen(exchange);
            default -> exchange.notFound("there are /v1/rules, /v1/explain, /v1/keys, /v1/offenders, /v1/events");
        }
    }

    private static void reading(Exchange exchange, Handler<Exchange> read) {
        if (exchange.isRead()) {
            read.handle(exchange);
        } else {
            exchange.wrongMethod("GET");
        }
    }

    private void listen(Exchange exchange) {
        if (exchange.isMethod("GET")) {
            events.serve(exchange.request);
        } else {
            exchange.wrongMethod("GET");
        }
    }

    private void metrics(Exchange exchange) {
        exchange.when(
                vertx.executeBlocking(metrics::scrape, false),
                text -> Answers.send(exchange.request, 200, PROMETHEUS, text));
    }

    private void offenders(Exchange exchange) {
        Long asked = exchange.number("top");
        int most = asked == null ? USUAL_OFFENDERS : (int) Math.min(asked, MOST_OFFENDERS);
        Offenders.Report report = telemetry.offenders.top(most);
        JsonArray top = new JsonArray();
        for (Offenders.Count count : report.top()) {
            top.add(new JsonObject()
                    .put("rule", count.offender().rule())
                    .put("key", count.offender().key())
                    .put("atLeast", count.atLeast())
                    .put("atMost", count.atMost()));
        }
        exchange.json(
                200,
                new JsonObject()
                        .put("overSeconds", report.over().toSeconds())
                        .put("denials", report.denials())
                        .put("offenders", top));
    }

    private void explain(Exchange exchange) {
        if (!exchange.isMethod("POST")) {
            exchange.wrongMethod("POST");
            return;
        }
        exchange.when(
                exchange.body(MOST_EXPLAIN_BYTES, "attributes", "cost", "leaseMs"),
                body -> exchange.when(
                        engine.explain(request(body)),
                        explanation -> exchange.json(200, Views.explanation(explanation))));
    }

    private static Request request(JsonObject body) {
        if (!(body.getValue("attributes") instanceof JsonObject attributes)) {
            throw Exchange.bad("\"attributes\" must be an object like {\"ip\": \"203.0.113.9\"}");
        }
        Map<String, String> values = new LinkedHashMap<>();
        for (Map.Entry<String, Object> attribute : attributes) {
            if (!(attribute.getValue() instanceof String value)) {
                throw Exchange.bad("attribute '" + HttpProblem.cut(attribute.getKey()) + "' must be a string, was "
                        + attribute.getValue());
            }
            values.put(attribute.getKey(), value);
        }
        Object cost = body.getValue("cost", 1);
        if (!(cost instanceof Integer || cost instanceof Long)) {
            throw Exchange.bad("\"cost\" must be a whole number from 0, was " + cost);
        }
        try {
            return Request.of(values, ((Number) cost).longValue());
        } catch (IllegalArgumentException e) {
            throw Exchange.bad(String.valueOf(e.getMessage()));
        }
    }

    /** Stops counting for Prometheus. The rule source, the audit log and the server are their owners' to close. */
    @Override
    public void close() {
        metrics.close();
    }
}
