package dev.sluice.server.admin;

import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.Locale;

/**
 * One version of the rules.
 *
 * @param number counts up from 1
 * @param origin how it came about
 * @param who by whom, or from which file
 * @param when it was made
 * @param text the rule file
 */
record RuleVersion(long number, Origin origin, String who, Instant when, String text) {
    /** How a version came about. */
    enum Origin {
        /** The rules that are built in. */
        EMBEDDED,
        /** A rule file, when the server started or when the file changed. */
        FILE,
        /** {@code PUT /v1/rules}. */
        PUT,
        /** An earlier version that was put in force again. */
        ROLLBACK;

        String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** What tells it from every other, also from one of the same number after the board was lost. */
    String id() {
        return number + "-" + Digests.brief(text);
    }

    /** The same, later than {@code before}. */
    RuleVersion after(long before) {
        return new RuleVersion(before + 1, origin, who, when, text);
    }

    boolean isSameText(RuleVersion other) {
        return text.equals(other.text);
    }

    /** All but the text. */
    JsonObject summary() {
        return new JsonObject()
                .put("version", number)
                .put("etag", id())
                .put("origin", origin.text())
                .put("who", who)
                .put("when", when.toString());
    }

    JsonObject json() {
        return summary().put("text", text);
    }

    static RuleVersion of(JsonObject json) {
        return new RuleVersion(
                json.getLong("version"),
                Origin.valueOf(json.getString("origin").toUpperCase(Locale.ROOT)),
                json.getString("who"),
                Instant.parse(json.getString("when")),
                json.getString("text"));
    }
}
