package dev.sluice.server.http;

import dev.sluice.Decision;
import dev.sluice.Limit;
import io.netty.util.AsciiString;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

/**
 * Writes the header fields that tell a client of its limits: {@code RateLimit-Policy}, {@code RateLimit} and
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
final class RateLimitFields {
    static final AsciiString POLICY = AsciiString.cached("RateLimit-Policy");
    static final AsciiString STATE = AsciiString.cached("RateLimit");
    static final AsciiString RETRY_AFTER = AsciiString.cached("Retry-After");

    /** The largest integer that a structured field can have. */
    private static final long MOST = 999_999_999_999_999L;

    private static final long MICROS = 1_000_000;

    private RateLimitFields() {}

    /** Adds the policies of a rule to the value of {@link #POLICY}. */
    static void policies(Bytes field, String rule, List<Limit> limits) {
        for (int i = 0; i < limits.size(); i++) {
            Limit limit = limits.get(i);
            name(field, rule, i).ascii(";q=").number(Math.min(limit.capacity(), MOST));
            if (limit instanceof Limit.Concurrency) {
                field.ascii(";qu=\"concurrent-requests\"");
            } else {
                window(field, limit);
            }
        }
    }

    /** Adds how a rule stands to the value of {@link #STATE}; {@code denied} if any rule denied the request. */
    static void states(Bytes field, String rule, Decision decision, boolean denied) {
        List<Decision> parts = decision.each();
        for (int i = 0; i < parts.size(); i++) {
            Decision part = parts.get(i);
            name(field, rule, i).ascii(";r=").number(Math.min(part.remaining(), MOST));
            long micros = part.allowed() ? part.resetAfterMicros() : part.retryAfterMicros();
            if (micros != Decision.NEVER_MICROS && !(denied && part.allowed())) {
                field.ascii(";t=").number(seconds(micros));
            }
        }
    }

    /** Whole seconds, never too early. */
    static long seconds(long micros) {
        return micros / MICROS + (micros % MICROS == 0 ? 0 : 1);
    }

    /** The name of a policy: that of the rule, and its place if it is not the first. */
    static String policy(String rule, int index) {
        return index == 0 ? rule : rule + ":" + (index + 1);
    }

    private static Bytes name(Bytes field, String rule, int index) {
        if (field.length() > 0) {
            field.put(',').put(' ');
        }
        field.put('"');
        for (int i = 0; i < rule.length(); i++) {
            char c = rule.charAt(i);
            if (c == '"' || c == '\\') {
                field.put('\\').put(c);
            } else if (c >= ' ' && c < 0x7f) {
                field.put(c);
            } else {
                i += escaped(field, rule, i);
            }
        }
        if (index > 0) {
            field.put(':').number(index + 1);
        }
        return field.put('"');
    }

    /** A character that such a string cannot have, as percent signs and digits; how many more of the text it took. */
    private static int escaped(Bytes field, String text, int at) {
        int point = text.codePointAt(at);
        for (byte b : Character.toString(point).getBytes(StandardCharsets.UTF_8)) {
            field.ascii(String.format("%%%02X", b));
        }
        return Character.charCount(point) - 1;
    }

    private static void window(Bytes field, Limit limit) {
        long micros = windowMicros(limit);
        if (micros > 0 && micros % MICROS == 0) {
            field.ascii(";w=").number(micros / MICROS);
        }
    }

    /** How long the whole capacity takes to be free again, or 0 if that is not a whole number of microseconds. */
    private static long windowMicros(Limit limit) {
        if (limit instanceof Limit.TokenBucket bucket) {
            return fillMicros(bucket.permits(), bucket.period(), bucket.burst());
        } else if (limit instanceof Limit.LeakyBucket bucket) {
            return fillMicros(bucket.permits(), bucket.period(), bucket.capacity());
        } else if (limit instanceof Limit.FixedWindow window) {
            return micros(window.period());
        } else if (limit instanceof Limit.SlidingWindow window) {
            return micros(window.period());
        } else if (limit instanceof Limit.SlidingLog log) {
            return micros(log.period());
        }
        return 0;
    }

    private static long fillMicros(long permits, Duration period, long capacity) {
        if (permits == capacity) {
            return micros(period);
        }
        long micros = micros(period);
        long high = Math.multiplyHigh(micros, capacity);
        long product = micros * capacity;
        return high == 0 && product > 0 && product % permits == 0 ? product / permits : 0;
    }

    private static long micros(Duration period) {
        return java.util.concurrent.TimeUnit.MICROSECONDS.convert(period);
    }
}
