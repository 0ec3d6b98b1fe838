package dev.sluice.server.admin;

import dev.sluice.rules.Rule;
import dev.sluice.rules.RuleDecision;
import dev.sluice.rules.RuleEngine;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** {@code /v1/keys/{rule}/{key}}: how a key stands; to reset it, to block it, to give it other limits for a while. */
final class KeysDesk {
    private static final int MOST_BYTES = 16 * 1024;
    private static final int MOST_LIMITS = 16;
    private static final Duration LONGEST = Duration.ofDays(366);

    private final Vertx vertx;
    private final RuleEngine engine;
    private final RuleSource source;
    private final EventStream events;
    private final AuditLog audit;
    private final Clock clock = Clock.tickMillis(ZoneOffset.UTC);

    KeysDesk(Vertx vertx, RuleEngine engine, RuleSource source, EventStream events, AuditLog audit) {
        this.vertx = vertx;
        this.engine = engine;
        this.source = source;
        this.events = events;
        this.audit = audit;
    }

    void handle(Exchange exchange) {
        List<String> path = exchange.path;
        if (path.size() < 4) {
            exchange.notFound("say which key: /v1/keys/{rule}/{key}; the key of a rule without any is empty");
            return;
        }
        Rule rule = rule(path.get(2));
        if (rule == null) {
            exchange.notFound("there is no rule named '" + HttpProblem.cut(path.get(2)) + "'");
        } else if (path.size() == 4) {
            key(exchange, rule, path.get(3));
        } else if (path.size() == 5 && path.get(4).equals("block")) {
            held(exchange, KeyHold.Kind.BLOCK);
        } else if (path.size() == 5 && path.get(4).equals("override")) {
            held(exchange, KeyHold.Kind.OVERRIDE);
        } else {
            exchange.notFound("after a key there may be /block or /override; a '/' within a key is written %2F");
        }
    }

    private void key(Exchange exchange, Rule rule, String key) {
        if (exchange.isRead()) {
            inspect(exchange, rule, key);
        } else if (exchange.isMethod("DELETE")) {
            reset(exchange, rule, key);
        } else {
            exchange.wrongMethod("GET, DELETE");
        }
    }

    private void inspect(Exchange exchange, Rule rule, String key) {
        exchange.when(inspected(rule.name(), key), found -> {
            RuleDecision ruling = found.orElse(null);
            KeyHold hold = source.holds().of(rule.name(), key);
            if (ruling == null && !unlimited(rule, hold)) {
                exchange.notFound("rule " + rule.name() + " has no such key: its keys are made of " + rule.key()
                        + ", joined by '|'");
                return;
            }
            JsonObject json = ruling == null
                    ? new JsonObject()
                            .put("rule", rule.name())
                            .put("key", key)
                            .put("outcome", "allowed")
                            .put("limits", new JsonArray())
                    : Views.ruling(ruling);
            exchange.json(200, json.put("hold", hold == null ? null : hold.json()));
        });
    }

    private CompletableFuture<Optional<RuleDecision>> inspected(String rule, String key) {
        return engine.inspect(rule, key).thenApply(Optional::ofNullable);
    }

    private static boolean unlimited(Rule rule, @Nullable KeyHold hold) {
        return rule.limits().isEmpty()
                || !rule.overrides().isEmpty()
                || (hold != null && hold.kind() == KeyHold.Kind.OVERRIDE);
    }

    /** The store may have to be asked, and waited for: not on an event loop. */
    private void reset(Exchange exchange, Rule rule, String key) {
        exchange.when(vertx.executeBlocking(() -> engine.reset(rule.name(), key), false), done -> {
            changed(exchange, "reset", rule.name(), key, new JsonObject());
            exchange.request.response().setStatusCode(204).end();
        });
    }

    private void held(Exchange exchange, KeyHold.Kind kind) {
        if (exchange.isMethod("PUT")) {
            String[] members = kind == KeyHold.Kind.BLOCK ? new String[] {"for"} : new String[] {"for", "limits"};
            exchange.when(exchange.body(MOST_BYTES, members), body -> hold(exchange, holdOf(exchange, kind, body)));
        } else if (exchange.isMethod("DELETE")) {
            drop(exchange, kind);
        } else {
            exchange.wrongMethod("PUT, DELETE");
        }
    }

    private KeyHold holdOf(Exchange exchange, KeyHold.Kind kind, JsonObject body) {
        String rule = exchange.path.get(2);
        String key = exchange.path.get(3);
        Instant until = clock.instant().plus(lasting(body.getValue("for")));
        List<String> limits = kind == KeyHold.Kind.BLOCK ? List.of() : limits(body.getValue("limits"));
        return new KeyHold(kind, rule, key, until, limits, exchange.caller.toString());
    }

    private void hold(Exchange exchange, KeyHold hold) {
        exchange.when(source.hold(hold), everywhere -> {
            changed(exchange, hold.kind().text(), hold.rule(), hold.key(), hold.json());
            exchange.json(200, hold.json().put("everywhere", everywhere));
        });
    }

    private void drop(Exchange exchange, KeyHold.Kind kind) {
        String rule = exchange.path.get(2);
        String key = exchange.path.get(3);
        KeyHold hold = source.holds().of(rule, key);
        if (hold == null || hold.kind() != kind) {
            exchange.notFound("key '" + HttpProblem.cut(key) + "' of rule " + rule + " has no " + kind.text());
            return;
        }
        exchange.when(source.drop(hold.name()), everywhere -> {
            changed(exchange, "end-" + kind.text(), rule, key, new JsonObject());
            exchange.request.response().setStatusCode(204).end();
        });
    }

    private void changed(Exchange exchange, String what, String rule, String key, JsonObject details) {
        JsonObject all = new JsonObject().put("rule", rule).put("key", key).mergeIn(details);
        all.remove("who");
        audit.record(exchange.caller.toString(), what, all);
        events.publish("key", all.copy().put("what", what).put("who", exchange.caller.toString()));
    }

    private static Duration lasting(@Nullable Object value) {
        if (!(value instanceof String text)) {
            throw Exchange.bad("\"for\" must say how long, as in \"10m\", was " + value);
        }
        Duration lasting = LimitTexts.duration("\"for\"", text);
        if (lasting.isZero() || lasting.compareTo(LONGEST) > 0) {
            throw Exchange.bad("\"for\" must be more than 0 and at most 366d, was " + text);
        }
        return lasting;
    }

    private static List<String> limits(@Nullable Object value) {
        if (!(value instanceof JsonArray array) || array.isEmpty() || array.size() > MOST_LIMITS) {
            throw Exchange.bad("\"limits\" must be a list like [\"100 per 1m\"], or [\"unlimited\"], was "
                    + String.valueOf(value).toLowerCase(Locale.ROOT));
        }
        List<String> limits = array.stream().map(String::valueOf).toList();
        LimitTexts.parse(limits);
        return limits;
    }

    private @Nullable Rule rule(String name) {
        return engine.rules().rules().stream()
                .filter(rule -> rule.name().equals(name))
                .findFirst()
                .orElse(null);
    }
}
