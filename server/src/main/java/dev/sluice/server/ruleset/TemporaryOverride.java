package dev.sluice.server.ruleset;

import dev.sluice.Limit;
import dev.sluice.rules.engine.RuleEngine;
import dev.sluice.rules.file.RuleFile;
import dev.sluice.rules.file.RuleFileException;
import dev.sluice.server.web.HttpProblem;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.List;
import java.util.Locale;

/**
 * Blocks one key of a rule for a while, or gives it other limits.
 *
 * @param limits the limits of an override, as a rule file writes them; empty for a block
 * @param who the admin who asked for it
 * @param why the reason that the admin gave; empty if none
 */
public record TemporaryOverride(
        Kind kind, String rule, String key, Instant until, List<String> limits, String who, String why) {
    public enum Kind {
        BLOCK,
        OVERRIDE;

        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Names the key and its rule: each key has at most one override. Names of rules have no line ends. */
    public String name() {
        return name(rule, key);
    }

    static String name(String rule, String key) {
        return rule + "\n" + key;
    }

    boolean isOver(Instant now) {
        return !until.isAfter(now);
    }

    /**
     * Puts this in force.
     *
     * @throws HttpProblem if the engine has no such rule or key, or the limits are wrong
     */
    void apply(RuleEngine engine) {
        try {
            if (kind == Kind.BLOCK) {
                engine.block(rule, key, until);
            } else {
                engine.override(rule, key, parse(limits), until);
            }
        } catch (IllegalArgumentException | IllegalStateException e) {
            throw HttpProblem.of(400, "bad-override", String.valueOf(e.getMessage()));
        }
    }

    /**
     * Reads limits by reading a rule that has them; none for unlimited.
     *
     * @throws HttpProblem if one of them is wrong
     */
    public static List<Limit> parse(List<String> limits) {
        JsonObject rule = new JsonObject().put("name", "override").put("limits", new JsonArray(limits));
        JsonObject file = new JsonObject().put("rules", new JsonArray().add(rule));
        try {
            return RuleFile.parse("override", file.encode()).rules().get(0).limits();
        } catch (RuleFileException e) {
            String field = e.problems().get(0).field().replaceFirst("^rules\\[0]\\.", "");
            throw HttpProblem.of(
                    400, "bad-request", field + ": " + e.problems().get(0).message());
        }
    }

    public JsonObject json() {
        JsonObject json = new JsonObject()
                .put("kind", kind.text())
                .put("rule", rule)
                .put("key", key)
                .put("until", until.toString())
                .put("who", who);
        if (!why.isEmpty()) {
            json.put("why", why);
        }
        return limits.isEmpty() ? json : json.put("limits", new JsonArray(limits));
    }

    static TemporaryOverride of(JsonObject json) {
        return new TemporaryOverride(
                Kind.valueOf(json.getString("kind").toUpperCase(Locale.ROOT)),
                json.getString("rule"),
                json.getString("key"),
                Instant.parse(json.getString("until")),
                json.getJsonArray("limits", new JsonArray()).stream()
                        .map(String::valueOf)
                        .toList(),
                json.getString("who"),
                json.getString("why", ""));
    }
}
