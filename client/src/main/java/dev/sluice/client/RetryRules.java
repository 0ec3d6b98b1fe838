package dev.sluice.client;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Whether and when a call that a server has refused is sent again. {@link Retries} applies the rules to the JDK's HTTP
 * client; for another client use {@link #begin}.
 *
 * <p>A call is sent again if all of this is so:
 *
 * <ul>
 *   <li>It can be repeated: its method is idempotent, or it has an {@code Idempotency-Key}.
 *   <li>The status is 429 or 503, and the server says when to come back: {@code Retry-After} in seconds or as a date; of a
 *       429 also {@code t} of {@code RateLimit}.
 *   <li>That time is not longer than {@link #maxWait}.
 *   <li>It has been sent again fewer than {@link #maxRetries} times.
 *   <li>The budget has a retry left.
 * </ul>
 *
 * <p>Why nothing else: without a time there is no reason to believe that another try succeeds, and a call whose connection
 * broke may have run. Up to a tenth, and at least up to 100 ms, is added to the time, so that clients that were refused
 * together do not come back together.
 *
 * <p>The script {@code sluice.js} for browsers has the same rules.
 */
public final class RetryRules {
    private static final int TOO_MANY_REQUESTS = 429;
    private static final int UNAVAILABLE = 503;
    private static final int MOST_RETRIES = 10;
    private static final Duration LONGEST_WAIT = Duration.ofHours(1);
    private static final long MIN_JITTER_NANOS = 100_000_000;
    private static final Set<String> IDEMPOTENT = Set.of("GET", "HEAD", "OPTIONS", "PUT", "DELETE", "TRACE");

    private final int maxRetries;
    private final Duration maxWait;
    private final Set<String> methods;
    private final RetryBudget budget;

    private RetryRules(int maxRetries, Duration maxWait, Set<String> methods, RetryBudget budget) {
        this.maxRetries = maxRetries;
        this.maxWait = maxWait;
        this.methods = methods;
        this.budget = budget;
    }

    /** At most 3 retries, each after at most 30 seconds, with a {@linkplain RetryBudget#standard budget} of its own. */
    public static RetryRules standard() {
        return new RetryRules(3, Duration.ofSeconds(30), IDEMPOTENT, RetryBudget.standard());
    }

    /** How often a call is sent again at most, from 0 to 10. */
    public RetryRules maxRetries(int max) {
        if (max < 0 || max > MOST_RETRIES) {
            throw new IllegalArgumentException("maxRetries must be from 0 to " + MOST_RETRIES + ", was " + max);
        }
        return new RetryRules(max, maxWait, methods, budget);
    }

    /** The longest time to wait for, up to an hour. A call that would have to wait longer is not sent again. */
    public RetryRules maxWait(Duration max) {
        if (max.isNegative() || max.compareTo(LONGEST_WAIT) > 0) {
            throw new IllegalArgumentException("maxWait must be from PT0S to " + LONGEST_WAIT + ", was " + max);
        }
        return new RetryRules(maxRetries, max, methods, budget);
    }

    /** Repeats calls with this method, too, for a server where it does no harm: {@code alsoMethod("POST")}. */
    public RetryRules alsoMethod(String method) {
        Set<String> more = new HashSet<>(methods);
        more.add(method.toUpperCase(Locale.ROOT));
        return new RetryRules(maxRetries, maxWait, Set.copyOf(more), budget);
    }

    /** A budget that may be shared with others. */
    public RetryRules budget(RetryBudget shared) {
        return new RetryRules(maxRetries, maxWait, methods, shared);
    }

    /**
     * Begins a call, which earns budget.
     *
     * @param header the values of a header field of the request; an empty list if it has none
     */
    public Call begin(String method, Function<String, List<String>> header) {
        budget.earn();
        boolean repeatable = methods.contains(method.toUpperCase(Locale.ROOT))
                || !header.apply("Idempotency-Key").isEmpty();
        return new Call(this, repeatable ? maxRetries : 0);
    }

    /** A call that may be sent several times. It is for one thread at a time. */
    public static final class Call {
        private final RetryRules rules;
        private int retriesLeft;

        private Call(RetryRules rules, int retries) {
            this.rules = rules;
            this.retriesLeft = retries;
        }

        /**
         * How long to wait before the call is sent again; null if the response is the last one. A retry is taken from the
         * budget.
         *
         * @param header the values of a header field of the response; an empty list if it has none
         */
        public @Nullable Duration waitBeforeRetry(int status, Function<String, List<String>> header) {
            if (retriesLeft == 0 || (status != TOO_MANY_REQUESTS && status != UNAVAILABLE)) {
                return null;
            }
            Duration named = RetryAfter.of(status, header);
            if (named == null || named.compareTo(rules.maxWait) > 0 || !rules.budget.take()) {
                return null;
            }
            retriesLeft--;
            long jitter = Math.max(MIN_JITTER_NANOS, named.toNanos() / 10);
            return named.plusNanos(ThreadLocalRandom.current().nextLong(jitter));
        }
    }
}
