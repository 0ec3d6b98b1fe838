package dev.sluice.server.admin;

import dev.sluice.Durations;
import dev.sluice.rules.Rule;
import dev.sluice.rules.RuleDecision;
import dev.sluice.rules.RuleEngine;
import dev.sluice.server.ruleset.RuleUpdater;
import dev.sluice.server.ruleset.TemporaryOverride;
import dev.sluice.server.ruleset.TemporaryOverride.Kind;
import dev.sluice.server.web.HttpProblem;
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

/** {@code /v1/keys/{rule}/{key}}: shows and resets a key, blocks it, and gives it other limits for a while. */
final class KeysHandler {
    private static final int MAX_BYTES = 16 * 1024;
    private static final int MAX_LIMITS = 16;
    private static final Duration MAX_DURATION = Duration.ofDays(366);

    private final Vertx vertx;
    private final RuleEngine engine;
    private final RuleUpdater updater;
    private final EventStream events;
    private final AuditLog audit;
    private final Clock clock = Clock.tickMillis(ZoneOffset.UTC);

    KeysHandler(Vertx vertx, RuleEngine engine, RuleUpdater updater, EventStream events, AuditLog audit) {
        this.vertx = vertx;
        this.engine = engine;
        this.updater = updater;
        this.events = events;
        this.audit = audit;
    }

    void handle(AdminRequest request) {
        List<String> path = request.path;
        if (path.size() < 4) {
            request.notFound("say which key: /v1/keys/{rule}/{key}; the key of a rule without any is empty");
            return;
        }
        Rule rule = rule(path.get(2));
        if (rule == null) {
            request.notFound("there is no rule named " + HttpProblem.quoted(path.get(2)));
        } else if (path.size() == 4) {
            key(request, rule, path.get(3));
        } else if (path.size() == 5 && path.get(4).equals(Kind.BLOCK.text())) {
            override(request, Kind.BLOCK);
        } else if (path.size() == 5 && path.get(4).equals(Kind.OVERRIDE.text())) {
            override(request, Kind.OVERRIDE);
        } else {
            request.notFound("after a key there may be /block or /override; a '/' within a key is written %2F");
        }
    }

    private void key(AdminRequest request, Rule rule, String key) {
        if (request.isRead()) {
            show(request, rule, key);
        } else if (request.isMethod("DELETE")) {
            reset(request, rule, key);
        } else {
            request.wrongMethod("GET, DELETE");
        }
    }

    private void show(AdminRequest request, Rule rule, String key) {
        CompletableFuture<Optional<RuleDecision>> inspected =
                engine.inspect(rule.name(), key).thenApply(Optional::ofNullable);
        request.when(inspected, found -> {
            RuleDecision decision = found.orElse(null);
            TemporaryOverride override = updater.overrides().of(rule.name(), key);
            if (decision == null && !mayBeUnlimited(rule, override)) {
                request.notFound("rule " + rule.name() + " has no such key: its keys are made of " + rule.key()
                        + ", joined by '|'");
                return;
            }
            JsonObject json = decision == null
                    ? new JsonObject()
                            .put("rule", rule.name())
                            .put("key", key)
                            .put("outcome", "allowed")
                            .put("limits", new JsonArray())
                    : DecisionJson.of(decision);
            request.json(200, json.put("override", override == null ? null : override.json()));
        });
    }

    private static boolean mayBeUnlimited(Rule rule, @Nullable TemporaryOverride override) {
        return rule.limits().isEmpty()
                || !rule.overrides().isEmpty()
                || (override != null && override.kind() == Kind.OVERRIDE);
    }

    /** Not on an event loop, since the store may have to be asked and waited for. */
    private void reset(AdminRequest request, Rule rule, String key) {
        request.when(vertx.executeBlocking(() -> engine.reset(rule.name(), key), false), done -> {
            changed(request, "reset", rule.name(), key, new JsonObject());
            request.http.response().setStatusCode(204).end();
        });
    }

    private void override(AdminRequest request, Kind kind) {
        if (request.isMethod("PUT")) {
            List<String> members = kind == Kind.BLOCK ? List.of("for") : List.of("for", "limits");
            request.json(MAX_BYTES, members, body -> put(request, override(request, kind, body)));
        } else if (request.isMethod("DELETE")) {
            remove(request, kind);
        } else {
            request.wrongMethod("PUT, DELETE");
        }
    }

    private TemporaryOverride override(AdminRequest request, Kind kind, JsonObject body) {
        Instant until = clock.instant().plus(duration(body.getValue("for")));
        List<String> limits = kind == Kind.BLOCK ? List.of() : limits(body.getValue("limits"));
        return new TemporaryOverride(
                kind, request.path.get(2), request.path.get(3), until, limits, request.caller.toString());
    }

    private void put(AdminRequest request, TemporaryOverride override) {
        request.when(updater.put(override), everywhere -> {
            changed(request, override.kind().text(), override.rule(), override.key(), override.json());
            request.json(200, override.json().put("everywhere", everywhere));
        });
    }

    private void remove(AdminRequest request, Kind kind) {
        String rule = request.path.get(2);
        String key = request.path.get(3);
        TemporaryOverride override = updater.overrides().of(rule, key);
        if (override == null || override.kind() != kind) {
            request.notFound("key " + HttpProblem.quoted(key) + " of rule " + rule + " has no " + kind.text());
            return;
        }
        request.when(updater.remove(override), everywhere -> {
            changed(request, "end-" + kind.text(), rule, key, new JsonObject());
            request.http.response().setStatusCode(204).end();
        });
    }

    private void changed(AdminRequest request, String what, String rule, String key, JsonObject details) {
        JsonObject all = new JsonObject().put("rule", rule).put("key", key).mergeIn(details);
        all.remove("who");
        audit.record(request.caller.toString(), what, all);
        events.publish("key", all.copy().put("what", what).put("who", request.caller.toString()));
    }

    private static Duration duration(@Nullable Object value) {
        if (!(value instanceof String text)) {
            throw AdminRequest.badRequest("\"for\" must say how long, as in \"10m\", was " + value);
        }
        Duration duration = Durations.parse(text);
        if (duration == null) {
            throw AdminRequest.badRequest(
                    "\"for\" must be " + Durations.EXPECTED + ", was " + HttpProblem.quoted(text));
        }
        if (duration.isZero() || duration.compareTo(MAX_DURATION) > 0) {
            throw AdminRequest.badRequest("\"for\" must be more than 0 and at most 366d, was " + text);
        }
        return duration;
    }

    private static List<String> limits(@Nullable Object value) {
        if (!(value instanceof JsonArray array) || array.isEmpty() || array.size() > MAX_LIMITS) {
            throw AdminRequest.badRequest("\"limits\" must be a list like [\"100 per 1m\"], or [\"unlimited\"], was "
                    + String.valueOf(value).toLowerCase(Locale.ROOT));
        }
        List<String> limits = array.stream().map(String::valueOf).toList();
        TemporaryOverride.parse(limits);
        return limits;
    }

    private @Nullable Rule rule(String name) {
        return engine.rules().rules().stream()
                .filter(rule -> rule.name().equals(name))
                .findFirst()
                .orElse(null);
    }
}
