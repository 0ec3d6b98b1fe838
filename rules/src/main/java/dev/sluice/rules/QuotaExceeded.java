package dev.sluice.rules;

import dev.sluice.Decision;
import dev.sluice.Outcome;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The members of the body of a 429: a problem of RFC 9457, of the type that draft-ietf-httpapi-ratelimit-headers-10
 * defines. The caller writes them.
 */
public final class QuotaExceeded {
    public static final String TYPE = "https://iana.org/assignments/http-problem-types#quota-exceeded";
    public static final String TITLE = "Request cannot be satisfied as assigned quota has been exceeded";

    /** The status of the response. */
    public static final int STATUS = 429;

    public static final String MEDIA_TYPE = "application/problem+json";

    private static final long MILLI = 1000;

    private QuotaExceeded() {}

    /** The members of the problem that a denied request is answered with, in the order to write them. */
    public static Map<String, @Nullable Object> members(Verdict verdict) {
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        members.put("type", TYPE);
        members.put("title", TITLE);
        members.put("status", STATUS);
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
