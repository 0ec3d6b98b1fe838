package dev.sluice.assertj;

import dev.sluice.Decision;
import dev.sluice.Durations;
import dev.sluice.Limiter;
import java.time.Duration;
import org.assertj.core.api.AbstractAssert;

/**
 * Assertions on a limiter and a key. What they allow they take, one permit at a time unless {@link #permits} says
 * otherwise; so they read in the order in which requests come. What is denied takes nothing.
 */
public final class LimiterAssert extends AbstractAssert<LimiterAssert, Limiter> {
    private final String key;
    private final String subject;
    private final long permits;
    private final long startNanos;

    LimiterAssert(Limiter limiter, String key, String subject) {
        this(limiter, key, subject, 1, System.nanoTime());
    }

    private LimiterAssert(Limiter limiter, String key, String subject, long permits, long startNanos) {
        super(limiter, LimiterAssert.class);
        this.key = key;
        this.subject = subject;
        this.permits = permits;
        this.startNanos = startNanos;
    }

    /** The same on a key. */
    public LimiterAssert key(String key) {
        return with(key, permits);
    }

    /** The same with requests that cost so many permits. */
    public LimiterAssert permits(long permits) {
        return with(key, permits);
    }

    private LimiterAssert with(String key, long permits) {
        LimiterAssert other = new LimiterAssert(actual, key, subject, permits, startNanos);
        other.info.description(info.description());
        return other;
    }

    /** So many requests in a row are allowed now. */
    public LimiterAssert allows(int requests) {
        isNotNull();
        for (int i = 1; i <= requests; i++) {
            Decision decision = actual.decide(key, permits);
            if (!decision.allowed()) {
                throw failure(
                        "expected that %s allows %d requests%s, but number %d is denied: %s",
                        subject, requests, ofKey(), i, why(decision));
            }
        }
        return this;
    }

    /** The next request is denied. */
    public LimiterAssert thenDenies() {
        denied();
        return this;
    }

    /**
     * The next request is denied, and a request is allowed again after this time. On a clock that runs, the time since
     * these assertions began may be missing from it.
     */
    public LimiterAssert thenDeniesFor(Duration time) {
        Decision decision = denied();
        Duration passed = Duration.ofNanos(System.nanoTime() - startNanos);
        boolean matches = !decision.never()
                && decision.retryAfter().compareTo(time) <= 0
                && decision.retryAfter().compareTo(time.minus(passed)) >= 0;
        if (!matches) {
            throw failure(
                    "expected that %s denies requests%s for %s, but it does so %s",
                    subject, ofKey(), Durations.text(time), why(decision));
        }
        return this;
    }

    /** So many permits are left. */
    public LimiterAssert hasRemaining(long remaining) {
        isNotNull();
        long left = actual.peek(key, 0).remaining();
        if (left != remaining) {
            throw failureWithActualExpected(
                    left,
                    remaining,
                    "expected that %s has %d permits left%s, has %d",
                    subject,
                    remaining,
                    ofKey(),
                    left);
        }
        return this;
    }

    private Decision denied() {
        isNotNull();
        Decision decision = actual.decide(key, permits);
        if (decision.allowed()) {
            throw failure(
                    "expected that %s denies a request%s, but it is allowed, and leaves %d of %d",
                    subject, ofKey(), decision.remaining(), decision.limit());
        }
        return decision;
    }

    private String ofKey() {
        return key.isEmpty() ? "" : " of '" + key + "'";
    }

    private static String why(Decision decision) {
        String until = decision.never() ? "no time will help" : "until in " + Durations.text(decision.retryAfter());
        return until + " (limit " + decision.limit() + ", " + decision.remaining() + " left)";
    }
}
