package dev.sluice.server.admin;

import dev.sluice.Durations;
import dev.sluice.KeyUsage;
import dev.sluice.rules.Rule;
import dev.sluice.rules.RuleDecision;
import dev.sluice.rules.engine.RuleEngine;
import dev.sluice.server.history.KeyWatch;
import dev.sluice.server.ruleset.RuleUpdater;
import dev.sluice.server.ruleset.TemporaryOverride;
import dev.sluice.server.ruleset.TemporaryOverride.Kind;
import dev.sluice.server.web.HttpProblem;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** {@code /v1/keys/{rule}/{key}}, {@code /v1/keys/{rule}?key={key}}: shows and resets a key, blocks it, and gives it other limits for a while. */
final class KeysHandler {
    private static final int MAX_BYTES = 16 * 1024;
    private static final int MAX_LIMITS = 16;
    private static final int MAX_WHY = 200;
    private static final Duration MAX_DURATION = Duration.ofDays(366);

    private final RuleEngine engine;
    private final RuleUpdater updater;
    private final EventStream events;
    private final AuditLog audit;
    private final KeyWatch keys;
    private final Clock clock = Clock.tickMillis(ZoneOffset.UTC);

    KeysHandler(RuleEngine engine, RuleUpdater updater, EventStream events, AuditLog audit, KeyWatch keys) {
        this.engine = engine;
        this.updater = updater;
        this.events = events;
        this.audit = audit;
        this.keys = keys;
    }

    /**
     * Which key of which rule, and what is done with it.
     *
     * @param action what follows the key in the path; empty for nothing
     */
    private record Target(String rule, String key, String action) {}

    void handle(AdminRequest request) {
        Target target = target(request);
        if (target == null) {
            return;
        }
        Rule rule = rule(target.rule());
        if (rule == null) {
            request.notFound("there is no rule named " + HttpProblem.quoted(target.rule()));
        } else if (target.action().isEmpty()) {
            key(request, rule, target.key());
        } else if (target.action().equals(Kind.BLOCK.text())) {
            override(request, target, Kind.BLOCK);
        } else if (target.action().equals(Kind.OVERRIDE.text())) {
            override(request, target, Kind.OVERRIDE);
        } else {
            request.notFound("after a key there may be /block or /override; a '/' within a key is written %2F");
        }
    }

    /**
     * The key stands in the path, or else in the query: a browser and many proxies take the keys {@code .} and {@code ..} out
     * of a path, and some take {@code %2F} for a slash. Null if there is none, and then the request has been answered.
     */
    private @Nullable Target target(AdminRequest request) {
        List<String> path = request.path;
        String key = request.parameter("key");
        String shortened = request.parameter("shortened");
        boolean inQuery = key != null || shortened != null;
        int actionAt = inQuery ? 3 : 4;
        if (path.size() < actionAt) {
            request.notFound("say which key: /v1/keys/{rule}/{key}, or /v1/keys/{rule}?key={key};"
                    + " the key of a rule without any is empty");
            return null;
        }
        if (key == null && shortened != null) {
            key = keys.whole(shortened).orElse(null);
            if (key == null) {
                request.notFound("no key that is listed as " + HttpProblem.quoted(shortened)
                        + " has come to this server of late, or it has more than 16384 characters");
                return null;
            }
        }
        String action = String.join("/", path.subList(actionAt, path.size()));
        boolean extra = path.size() > actionAt && action.isEmpty();
        return new Target(path.get(2), key == null ? path.get(3) : key, extra ? "/" : action);
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
        CompletableFuture<Inspected> inspected =
                engine.inspect(rule.name(), key).thenCompose(KeysHandler::withUsage);
        request.when(inspected, found -> {
            RuleDecision decision = found.decision;
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
                            .put("state", new JsonArray())
                    : DecisionJson.of(decision).put("state", KeyStateJson.of(decision, found.usage));
            request.json(200, json.put("override", override == null ? null : override.json()));
        });
    }

    /** What is known of a key: null if it has no limit. */
    private record Inspected(@Nullable RuleDecision decision, List<KeyUsage> usage) {}

    /** A store that does not answer leaves the usage out: the decision is that of its failure policy. */
    private static CompletableFuture<Inspected> withUsage(@Nullable RuleDecision decision) {
        CompletableFuture<List<KeyUsage>> usage = decision == null
                ? CompletableFuture.completedFuture(List.of())
                : decision.limiter().usageAsync(decision.key()).exceptionally(unanswered -> List.of());
        return usage.thenApply(known -> new Inspected(decision, known));
    }

    private static boolean mayBeUnlimited(Rule rule, @Nullable TemporaryOverride override) {
        return rule.limits().isEmpty()
                || !rule.overrides().isEmpty()
                || (override != null && override.kind() == Kind.OVERRIDE);
    }

    /** Says so if the store does not answer: then the key is reset in this process alone. */
    private void reset(AdminRequest request, Rule rule, String key) {
        CompletableFuture<Boolean> reset =
                engine.resetAsync(rule.name(), key).handle((known, failure) -> failure == null);
        request.when(reset, answered -> {
            if (!answered) {
                throw HttpProblem.of(
                        503, "store-unreachable", "the store did not answer; the key is reset in this server only");
            }
            changed(request, "reset", rule.name(), key, new JsonObject());
            request.http.response().setStatusCode(204).end();
        });
    }

    private void override(AdminRequest request, Target target, Kind kind) {
        if (request.isMethod("PUT")) {
            List<String> members = kind == Kind.BLOCK ? List.of("for", "why") : List.of("for", "limits", "why");
            request.json(MAX_BYTES, members, body -> put(request, override(request, target, kind, body)));
        } else if (request.isMethod("DELETE")) {
            remove(request, target, kind);
        } else {
            request.wrongMethod("PUT, DELETE");
        }
    }

    private TemporaryOverride override(AdminRequest request, Target target, Kind kind, JsonObject body) {
        Instant until = clock.instant().plus(duration(body.getValue("for")));
        List<String> limits = kind == Kind.BLOCK ? List.of() : limits(body.getValue("limits"));
        return new TemporaryOverride(
                kind, target.rule(), target.key(), until, limits, request.caller.toString(), why(body.getValue("why")));
    }

    private void put(AdminRequest request, TemporaryOverride override) {
        request.when(updater.put(override), everywhere -> {
            changed(request, override.kind().text(), override.rule(), override.key(), override.json());
            request.json(200, override.json().put("everywhere", everywhere));
        });
    }

    private void remove(AdminRequest request, Target target, Kind kind) {
        String rule = target.rule();
        String key = target.key();
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

    private static String why(@Nullable Object value) {
        if (value == null) {
            return "";
        }
        if (!(value instanceof String text) || text.codePointCount(0, text.length()) > MAX_WHY) {
            throw AdminRequest.badRequest("\"why\" must be a text of at most " + MAX_WHY + " characters");
        }
        return text.strip();
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
