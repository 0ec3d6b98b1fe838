package dev.sluice.rules.engine;

import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.OnFailure;
import dev.sluice.rules.RateLimitHeaders;
import dev.sluice.rules.Rule;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A limiter of the store with its name, and with views of it for requests that may use only a share. */
final class NamedLimiter {
    /** Is never asked. */
    private static final Limiter BLOCKED = Limiter.local(Limit.fixedWindow(1, Duration.ofSeconds(1)));

    final String name;
    final Limiter limiter;
    final OnFailure onFailure;
    final Rule.Batch batch;
    final List<Limit> limits;
    private final String rule;
    private volatile Policy policy;
    /** By percent. Two threads may make the same view twice. */
    private volatile @Nullable Limiter @Nullable [] views;

    /** A limiter of {@code rule}, or of an override of it. */
    NamedLimiter(String name, Rule rule, Limiter limiter, Rule.Batch batch, List<Limit> limits) {
        this.name = name;
        this.limiter = limiter;
        this.onFailure = rule.onStoreFailure();
        this.batch = batch;
        this.limits = limits;
        this.rule = rule.name();
        this.policy = policyOf(limiter.limits());
    }

    /** Limits as {@code RateLimit-Policy} shows them, the same in every response until the limiter's are changed. */
    private record Policy(List<Limit> limits, String text) {}

    /** The text of {@code RateLimit-Policy} about the limits in force. Two threads may write it twice, which does no harm. */
    @SuppressWarnings("ReferenceEquality") // of two equal lists, one or the other will do
    String policy() {
        Policy known = policy;
        List<Limit> inForce = limiter.limits();
        if (known.limits != inForce) {
            known = policyOf(inForce);
            policy = known;
        }
        return known.text;
    }

    private Policy policyOf(List<Limit> inForce) {
        return new Policy(inForce, RateLimitHeaders.policy(rule, inForce));
    }

    /** Stands for the limiter of requests that a rule denies without one. */
    static NamedLimiter blocked(Rule rule) {
        return new NamedLimiter("blocked", rule, BLOCKED, Rule.Batch.OFF, BLOCKED.limits());
    }

    /** The limiter for requests that may use {@code percent} of it. */
    Limiter withShare(int percent) {
        if (percent == 100) {
            return limiter;
        }
        @Nullable Limiter[] made = views;
        if (made == null) {
            made = new @Nullable Limiter[100];
            views = made;
        }
        Limiter view = made[percent];
        if (view == null) {
            view = limiter.withShare(percent);
            made[percent] = view;
        }
        return view;
    }
}
