package dev.sluice.server.admin;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.List;
import java.util.Locale;

/**
 * What holds for one key for a while: other limits, or none of it.
 *
 * @param limits for an override: the limits as a rule file writes them
 * @param who by whom
 */
record KeyHold(Kind kind, String rule, String key, Instant until, List<String> limits, String who) {
    enum Kind {
        BLOCK,
        OVERRIDE;

        String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** One key of one rule has one hold. Names of rules have no line ends. */
    String name() {
        return name(rule, key);
    }

    static String name(String rule, String key) {
        return rule + "\n" + key;
    }

    boolean isOver(Instant now) {
        return !until.isAfter(now);
    }

    JsonObject json() {
        JsonObject json = new JsonObject()
                .put("kind", kind.text())
                .put("rule", rule)
                .put("key", key)
                .put("until", until.toString())
                .put("who", who);
        return limits.isEmpty() ? json : json.put("limits", new JsonArray(limits));
    }

    static KeyHold of(JsonObject json) {
        return new KeyHold(
                Kind.valueOf(json.getString("kind").toUpperCase(Locale.ROOT)),
                json.getString("rule"),
                json.getString("key"),
                Instant.parse(json.getString("until")),
                json.getJsonArray("limits", new JsonArray()).stream()
                        .map(String::valueOf)
                        .toList(),
                json.getString("who"));
    }
}
