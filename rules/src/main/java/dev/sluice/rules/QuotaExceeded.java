package dev.sluice.rules;

import dev.sluice.Decision;
import dev.sluice.Outcome;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The body of a 429: a problem of RFC 9457, of the type that draft-ietf-httpapi-ratelimit-headers-10 defines.
 */
public final class QuotaExceeded {
    public static final String TYPE = "https://iana.org/assignments/http-problem-types#quota-exceeded";
    public static final String TITLE = "Request cannot be satisfied as assigned quota has been exceeded";

    /** The status of the response, unless the application answers with another. */
    public static final int STATUS = 429;

    public static final String MEDIA_TYPE = "application/problem+json";

    private static final long MILLI = 1000;

    /** A little longer than a body with one rule is. */
    private static final int USUAL_LENGTH = 512;

    private QuotaExceeded() {}

    /** The members of the problem that a denied request is answered with, in the order to write them. */
    public static Map<String, @Nullable Object> members(Verdict verdict) {
        return members(verdict, STATUS);
    }

    private static Map<String, @Nullable Object> members(Verdict verdict, int status) {
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        members.put("type", TYPE);
        members.put("title", TITLE);
        members.put("status", status);
        RuleDecision decisive = verdict.decisive();
        if (decisive != null) {
            members.put("detail", detail(decisive));
        }
        members.put("violated-policies", violated(verdict));
        members.put("allowed", false);
        if (decisive != null) {
            Decision decision = decisive.decision();
            members.put("rule", decisive.rule().name());
            members.put("limit", decision.limit());
            members.put("remaining", decision.remaining());
            members.put("retryAfterMs", millis(decision.retryAfterMicros()));
            members.put("resetAfterMs", millis(decision.resetAfterMicros()));
        }
        return members;
    }

    /** The body as JSON: the members, in one line. */
    public static String json(Verdict verdict) {
        return json(verdict, STATUS);
    }

    /** The same for a response with another status. */
    public static String json(Verdict verdict, int status) {
        StringBuilder json = new StringBuilder(USUAL_LENGTH);
        char separator = '{';
        for (Map.Entry<String, @Nullable Object> member :
                members(verdict, status).entrySet()) {
            quote(json.append(separator), member.getKey()).append(':');
            Object value = member.getValue();
            if (value instanceof List<?> texts) {
                array(json, texts);
            } else if (value instanceof String text) {
                quote(json, text);
            } else {
                json.append(value);
            }
            separator = ',';
        }
        return json.append("}\n").toString();
    }

    private static void array(StringBuilder json, List<?> texts) {
        json.append('[');
        for (int i = 0; i < texts.size(); i++) {
            quote(i == 0 ? json : json.append(','), String.valueOf(texts.get(i)));
        }
        json.append(']');
    }

    /**
     * Appends a text as a string of JSON. It has no control characters, since the names of rules have none. Half a pair of
     * surrogates is escaped: UTF-8 has no bytes for it, and would have a question mark.
     */
    private static StringBuilder quote(StringBuilder json, String text) {
        json.append('"');
        int start = 0; // of the characters that stand for themselves, which are appended together
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                json.append(text, start, i).append('\\');
                start = i;
            } else if (Character.isSurrogate(c)) {
                int point = text.codePointAt(i);
                if (Character.isSupplementaryCodePoint(point)) {
                    i++;
                } else {
                    json.append(text, start, i).append("\\u").append(Integer.toHexString(point));
                    start = i + 1;
                }
            }
        }
        return json.append(text, start, text.length()).append('"');
    }

    /** Whole milliseconds, rounded up; null for never. */
    private static @Nullable Long millis(long micros) {
        return micros == Decision.NEVER_MICROS ? null : micros / MILLI + (micros % MILLI == 0 ? 0 : 1);
    }

    /** A sentence that says why the request is denied and when to try again. */
    public static String detail(RuleDecision denying) {
        Decision decision = denying.decision();
        String rule = denying.rule().name();
        if (decision.outcome() == Outcome.NEVER) {
            return "a cost of " + decision.permits() + " is more than rule " + rule + " can ever grant, which is "
                    + decision.limit();
        }
        String when = decision.retryAfterMicros() == Decision.NEVER_MICROS
                ? "when permits are given back"
                : "in " + RateLimitHeaders.seconds(decision.retryAfterMicros()) + " s";
        String why = decision.outcome() == Outcome.SHED ? " sheds requests before its limit: " : ": ";
        return "rule " + rule + why + decision.remaining() + " of " + decision.limit() + " left; try again " + when;
    }

    /** The names of the policies that deny, as in {@code RateLimit-Policy}. */
    public static List<String> violated(Verdict verdict) {
        List<String> policies = new ArrayList<>();
        for (RuleDecision decided : verdict.decisions()) {
            List<Decision> parts = decided.decision().perLimit();
            for (int i = 0; decided.denies() && i < parts.size(); i++) {
                if (!parts.get(i).allowed()) {
                    policies.add(RateLimitHeaders.policyName(decided.rule().name(), i));
                }
            }
        }
        return policies;
    }
}
