package dev.sluice.rules;

import dev.sluice.Decision;
import dev.sluice.Limit;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Writes the header fields that show a client its limits: {@code RateLimit-Policy}, {@code RateLimit} and
 * {@code Retry-After}. Nothing else knows how they look, since the draft still moves.
 *
 * <p>As draft-ietf-httpapi-ratelimit-headers-10 has them, a list of strings with parameters in each:
 *
 * <pre>
 *   RateLimit-Policy: "login-per-ip";q=5;w=60
 *   RateLimit: "login-per-ip";r=0;t=23
 *   Retry-After: 23
 * </pre>
 *
 * <ul>
 *   <li>A policy bears the name of its rule; the second limit of a rule is {@code "rule:2"}, and so on.
 *   <li>{@code q} is the most that can be had at once, and {@code w} how long it takes to be had again in full. A bucket
 *       of 20 that fills at 10 per second is {@code q=20;w=2}. The draft knows whole seconds only: without such, no
 *       {@code w}.
 *   <li>{@code r} is what could be taken right now, and {@code t} when there will be more: for a limit that denies, when
 *       the same request would be allowed; for any other, when all is free again. When some other limit denies there is
 *       no {@code t}: the draft wants {@code Retry-After} never to be earlier.
 * </ul>
 */
public final class RateLimitHeaders {
    public static final String POLICY = "RateLimit-Policy";
    public static final String STATE = "RateLimit";
    public static final String RETRY_AFTER = "Retry-After";

    /** What many clients knew before the draft; only where it is asked for, see {@link #setLegacy}. */
    public static final String LEGACY_LIMIT = "X-RateLimit-Limit";

    public static final String LEGACY_REMAINING = "X-RateLimit-Remaining";
    public static final String LEGACY_RESET = "X-RateLimit-Reset";

    /** Set to {@code ?1} on a response to a degraded request. */
    public static final String DEGRADED = "Sluice-Degraded";

    /** The largest integer that a structured field can have. */
    private static final long MAX_INTEGER = 999_999_999_999_999L;

    private static final long MICROS = 1_000_000;

    /** As long as a field with one policy is. */
    private static final int USUAL_LENGTH = 64;

    private RateLimitHeaders() {}

    /** The value of {@link #POLICY}; null if no limit applies. Shadow rules are left out. */
    public static @Nullable String policy(Verdict verdict) {
        String field = null;
        List<RuleDecision> decisions = verdict.decisions();
        for (int i = 0; i < decisions.size(); i++) {
            RuleDecision decision = decisions.get(i);
            if (isShown(decision)) {
                field = field == null ? decision.policy() : field + ", " + decision.policy();
            }
        }
        return field;
    }

    /** The policies of a rule, as {@link #POLICY} has them. */
    public static String policy(String rule, List<Limit> limits) {
        StringBuilder field = new StringBuilder(USUAL_LENGTH);
        policies(field, rule, limits);
        return field.toString();
    }

    /** The value of {@link #STATE}; null if no limit applies. Shadow rules are left out. */
    public static @Nullable String state(Verdict verdict) {
        StringBuilder field = new StringBuilder(USUAL_LENGTH);
        List<RuleDecision> decisions = verdict.decisions();
        for (int i = 0; i < decisions.size(); i++) {
            RuleDecision decision = decisions.get(i);
            if (isShown(decision)) {
                states(field, decision.rule().name(), decision.decision(), !verdict.allowed());
            }
        }
        return field.isEmpty() ? null : field.toString();
    }

    /** The value of {@link #RETRY_AFTER}; null if the request was allowed, or if no wait will help. */
    public static @Nullable String retryAfter(Verdict verdict) {
        RuleDecision decisive = verdict.decisive();
        if (verdict.allowed() || decisive == null) {
            return null;
        }
        long micros = decisive.decision().retryAfterMicros();
        return micros == Decision.NEVER_MICROS ? null : Long.toString(seconds(micros));
    }

    /** Sets all header fields for a verdict. Responses to denied requests must not be cached. */
    public static void set(Verdict verdict, BiConsumer<String, String> header) {
        set(POLICY, policy(verdict), header);
        set(STATE, state(verdict), header);
        set(RETRY_AFTER, retryAfter(verdict), header);
        set(DEGRADED, verdict.degraded() ? "?1" : null, header);
        set("Cache-Control", verdict.allowed() ? null : "no-store", header);
    }

    /**
     * Sets the three {@code X-RateLimit-…} fields, for the decisive rule alone, since they have room for one. Reset is the
     * number of seconds until the same request would be allowed, or until all is free again if it is allowed now; it is
     * left out if time alone will not do.
     */
    public static void setLegacy(Verdict verdict, BiConsumer<String, String> header) {
        RuleDecision decisive = verdict.decisive();
        if (decisive == null || !isShown(decisive)) {
            return;
        }
        Decision decision = decisive.decision();
        header.accept(LEGACY_LIMIT, Long.toString(decision.limit()));
        header.accept(LEGACY_REMAINING, Long.toString(decision.remaining()));
        long micros = decision.allowed() ? decision.resetAfterMicros() : decision.retryAfterMicros();
        if (micros != Decision.NEVER_MICROS) {
            header.accept(LEGACY_RESET, Long.toString(seconds(micros)));
        }
    }

    private static void set(String name, @Nullable String value, BiConsumer<String, String> header) {
        if (value != null) {
            header.accept(name, value);
        }
    }

    private static boolean isShown(RuleDecision decision) {
        return decision.rule().onExceed().action() != OnExceed.Action.SHADOW;
    }

    /** Adds the policies of a rule to the value of {@link #POLICY}. */
    public static void policies(StringBuilder field, String rule, List<Limit> limits) {
        for (int i = 0; i < limits.size(); i++) {
            Limit limit = limits.get(i);
            name(field, rule, i).append(";q=").append(Math.min(limit.capacity(), MAX_INTEGER));
            Duration period = limit.period();
            if (period == null) {
                field.append(";qu=\"concurrent-requests\"");
            } else {
                window(field, period, limit);
            }
        }
    }

    /** Adds the state of a rule to the value of {@link #STATE}; {@code denied} if any rule denied the request. */
    public static void states(StringBuilder field, String rule, Decision decision, boolean denied) {
        List<Decision> parts = decision.perLimit();
        for (int i = 0; i < parts.size(); i++) {
            Decision part = parts.get(i);
            name(field, rule, i).append(";r=").append(Math.min(part.remaining(), MAX_INTEGER));
            long micros = part.allowed() ? part.resetAfterMicros() : part.retryAfterMicros();
            if (micros != Decision.NEVER_MICROS && !(denied && part.allowed())) {
                field.append(";t=").append(seconds(micros));
            }
        }
    }

    /** One policy: a quota that is free again after {@code windowSeconds}; 0 leaves the window out. */
    public static String policy(String name, long quota, long windowSeconds) {
        StringBuilder field = name(new StringBuilder(), name, 0).append(";q=").append(quota);
        return (windowSeconds > 0 ? field.append(";w=").append(windowSeconds) : field).toString();
    }

    /** The state of one policy; {@code seconds} until there will be more, 0 leaves them out. */
    public static String state(String name, long remaining, long seconds) {
        StringBuilder field = name(new StringBuilder(), name, 0).append(";r=").append(remaining);
        return (seconds > 0 ? field.append(";t=").append(seconds) : field).toString();
    }

    /** Whole seconds, rounded up. */
    public static long seconds(long micros) {
        return micros / MICROS + (micros % MICROS == 0 ? 0 : 1);
    }

    /** The name of a policy: that of the rule, and its place if it is not the first. */
    public static String policyName(String rule, int index) {
        return index == 0 ? rule : rule + ":" + (index + 1);
    }

    private static StringBuilder name(StringBuilder field, String rule, int index) {
        if (field.length() > 0) {
            field.append(", ");
        }
        field.append('"');
        int start = 0; // of the characters that stand for themselves, which are appended together
        for (int i = 0; i < rule.length(); i++) {
            char c = rule.charAt(i);
            if (c == '"' || c == '\\') {
                field.append(rule, start, i).append('\\');
                start = i;
            } else if (c < ' ' || c >= 0x7f) {
                field.append(rule, start, i);
                i += escaped(field, rule, i);
                start = i + 1;
            }
        }
        field.append(rule, start, rule.length());
        if (index > 0) {
            field.append(':').append(index + 1);
        }
        return field.append('"');
    }

    /** A character that such a string cannot have, as percent signs and digits; how many more of the text it took. */
    private static int escaped(StringBuilder field, String text, int at) {
        int point = text.codePointAt(at);
        for (byte b : Character.toString(point).getBytes(StandardCharsets.UTF_8)) {
            field.append(String.format("%%%02X", b));
        }
        return Character.charCount(point) - 1;
    }

    /** Appends how long the whole capacity takes to be free again, if that is a whole number of seconds. */
    private static void window(StringBuilder field, Duration period, Limit limit) {
        long micros = TimeUnit.MICROSECONDS.convert(period);
        long product = micros * limit.capacity();
        boolean exact = Math.multiplyHigh(micros, limit.capacity()) == 0 && product > 0;
        if (limit.capacity() == limit.permits()) {
            appendWindow(field, micros);
        } else if (exact && product % limit.permits() == 0) {
            appendWindow(field, product / limit.permits());
        }
    }

    private static void appendWindow(StringBuilder field, long micros) {
        if (micros % MICROS == 0) {
            field.append(";w=").append(micros / MICROS);
        }
    }
}
