package dev.sluice.server.ruleset;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.vertx.core.json.JsonObject;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.HexFormat;
import java.util.Locale;

/**
 * One version of the rules.
 *
 * @param number counts up from 1
 * @param origin how it was made
 * @param who its author, or the file it was read from
 * @param when it was made
 * @param text the rule file
 */
public record RuleVersion(long number, Origin origin, String who, Instant when, String text) {
    private static final int ID_BYTES = 4;

    /** How a version was made. */
    public enum Origin {
        /** The rules that are built in. */
        EMBEDDED,
        /** A rule file, when the server started or when the file changed. */
        FILE,
        /** {@code PUT /v1/rules}. */
        PUT,
        /** An earlier version that was put in force again. */
        ROLLBACK;

        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** The number and a digest of the text: another version has another id, even if Redis lost all and numbers repeat. */
    public String id() {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(UTF_8));
            return number + "-" + HexFormat.of().formatHex(digest, 0, ID_BYTES);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("this JDK has no SHA-256", e);
        }
    }

    /** The same rules with the number after {@code before}. */
    RuleVersion after(long before) {
        return new RuleVersion(before + 1, origin, who, when, text);
    }

    boolean isSameText(RuleVersion other) {
        return text.equals(other.text);
    }

    /** Everything except the text. */
    public JsonObject summary() {
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
