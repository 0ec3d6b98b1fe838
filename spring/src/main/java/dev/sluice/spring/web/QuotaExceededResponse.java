package dev.sluice.spring.web;

import dev.sluice.Decision;
import dev.sluice.rules.QuotaExceeded;
import dev.sluice.rules.RateLimitHeaders;
import dev.sluice.rules.RuleDecision;
import dev.sluice.rules.Verdict;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** What a client is told of a verdict: header fields, and the body of a refusal as RFC 9457 has it. */
final class QuotaExceededResponse {
    static final int STATUS = 429;
    static final String TYPE = "application/problem+json";
    private static final long MILLI = 1000;

    private QuotaExceededResponse() {}

    /** Sets the header fields that tell of limits. */
    static void headers(Verdict verdict, BiConsumer<String, String> set) {
        if (verdict.decisions().isEmpty()) {
            return;
        }
        put(RateLimitHeaders.POLICY, RateLimitHeaders.policy(verdict), set);
        put(RateLimitHeaders.STATE, RateLimitHeaders.state(verdict), set);
        put(RateLimitHeaders.RETRY_AFTER, RateLimitHeaders.retryAfter(verdict), set);
        if (verdict.degraded()) {
            set.accept(RateLimitHeaders.DEGRADED, "?1");
        }
        if (!verdict.allowed()) {
            set.accept("Cache-Control", "no-store");
        }
    }

    private static void put(String name, @Nullable String value, BiConsumer<String, String> set) {
        if (value != null) {
            set.accept(name, value);
        }
    }

    /** The body of a refusal. */
    static String body(Verdict verdict) {
        StringBuilder json = new StringBuilder("{\"type\":\"" + QuotaExceeded.TYPE + "\",\"title\":\""
                + QuotaExceeded.TITLE + "\",\"status\":" + STATUS);
        RuleDecision decisive = verdict.decisive();
        if (decisive != null) {
            quote(json.append(",\"detail\":"), QuotaExceeded.detail(decisive));
        }
        json.append(",\"violated-policies\":[");
        String separator = "";
        for (String policy : QuotaExceeded.violated(verdict)) {
            quote(json.append(separator), policy);
            separator = ",";
        }
        json.append("],\"allowed\":false");
        if (decisive != null) {
            quote(json.append(",\"rule\":"), decisive.rule().name());
            Decision decision = decisive.decision();
            json.append(",\"limit\":").append(decision.limit());
            json.append(",\"remaining\":").append(decision.remaining());
            json.append(",\"retryAfterMs\":").append(millis(decision.retryAfterMicros()));
            json.append(",\"resetAfterMs\":").append(millis(decision.resetAfterMicros()));
        }
        return json.append("}\n").toString();
    }

    /** Whole milliseconds, never too early; null for never. */
    private static String millis(long micros) {
        return micros == Decision.NEVER_MICROS ? "null" : Long.toString(micros / MILLI + (micros % MILLI == 0 ? 0 : 1));
    }

    private static void quote(StringBuilder json, String text) {
        json.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                json.append('\\').append(c);
            } else if (c < ' ') {
                json.append(String.format("\\u%04x", (int) c));
            } else {
                json.append(c);
            }
        }
        json.append('"');
    }
}
