package dev.sluice.rules.engine;

import dev.sluice.Charge;
import dev.sluice.Decision;
import dev.sluice.Limiter;
import dev.sluice.Outcome;
import dev.sluice.rules.OnExceed;
import dev.sluice.rules.Rule;
import dev.sluice.rules.RuleDecision;
import dev.sluice.spi.LimiterDecision;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * What one rule is to charge for one request.
 *
 * @param share the percentage of the limits that the class of the request may use
 * @param drawnShare the percentage that it may use this time: less than {@code share} if the rule sheds, drawn at random
 * @param blockedMicros how long the key is still blocked; 0 if it is not
 */
record PendingCharge(
        Rule rule, NamedLimiter named, String key, int share, int drawnShare, long permits, long blockedMicros) {
    OnExceed.Action action() {
        return rule.onExceed().action();
    }

    boolean waits() {
        return action() == OnExceed.Action.WAIT;
    }

    private Limiter limiter() {
        return named.withShare(drawnShare);
    }

    Charge charge() {
        return new Charge(limiter(), key, permits);
    }

    /** The charge of a request that accepts no longer delay of a queue. */
    Charge charge(Duration maxDelay) {
        return new Charge(limiter(), key, permits, maxDelay);
    }

    /** Takes the permits of the drawn share, after a wait if the rule lets requests wait. */
    CompletableFuture<Decision> take() {
        return waits()
                ? limiter().acquireAsync(key, permits, rule.onExceed().maxWait())
                : limiter().decideAsync(key, permits);
    }

    /** Gives back what a decision of {@link #take} took, if it took anything. */
    CompletableFuture<?> refund(Decision taken) {
        return named.limiter.refundAsync(key, taken);
    }

    /** The decision that a request would get now, with nothing taken. */
    CompletableFuture<Decision> peek() {
        Decision blocked = blocked();
        if (blocked != null) {
            return CompletableFuture.completedFuture(blocked);
        }
        CompletableFuture<Decision> seen = limiter().peekAsync(key, permits);
        return isShedding() ? seen.thenCompose(this::forShare) : seen;
    }

    /** How the key stands: what is left of it, or for how long it is denied. */
    CompletableFuture<Decision> standing() {
        return withPermits(0)
                .peek()
                .thenCompose(now -> now.allowed() && now.remaining() == 0
                        ? withPermits(1).peek()
                        : CompletableFuture.completedFuture(now));
    }

    private PendingCharge withPermits(long permits) {
        return new PendingCharge(rule, named, key, share, share, permits, blockedMicros);
    }

    /** The decision about a blocked key; null if it is not blocked. */
    @Nullable
    Decision blocked() {
        return blockedMicros == 0
                ? null
                : LimiterDecision.denied(Outcome.DENIED, permits, 0, 0, blockedMicros, blockedMicros);
    }

    RuleDecision decided(Decision decision) {
        Decision given = action() == OnExceed.Action.SHADOW
                ? LimiterDecision.of(decision).asShadow()
                : decision;
        return new RuleDecision(rule, named.name, key, share, named.limiter, named.policy(), given, null);
    }

    // ---- Shedding

    boolean isShedding() {
        return drawnShare < share;
    }

    /**
     * A decision made for the drawn share, as one for the share of the class. What is left is counted in the latter. A
     * request that only the drawn share denies is {@link Outcome#SHED}; {@code retryAfter} is when it would be within the
     * share that it drew.
     */
    CompletableFuture<Decision> forShare(Decision drawn) {
        boolean deniedByLimit = !drawn.allowed() && drawn.remaining() >= permits; // a queue whose delay is too long
        if (!isShedding() || deniedByLimit || isByPolicy(drawn)) {
            return CompletableFuture.completedFuture(drawn);
        }
        if (drawn.allowed()) {
            return CompletableFuture.completedFuture(allowedForShare(LimiterDecision.of(drawn)));
        }
        return named.withShare(share).peekAsync(key, permits).thenApply(unshed -> {
            if (!unshed.allowed()) {
                return unshed;
            }
            // The store may have failed, or the limits may have changed, between the two.
            boolean comparable = !isByPolicy(unshed)
                    && drawn.perLimit().size() == unshed.perLimit().size();
            return comparable ? shed(LimiterDecision.of(drawn), LimiterDecision.of(unshed)) : drawn;
        });
    }

    /** Whether the store did not answer: then the numbers are not those of a limit. */
    private static boolean isByPolicy(Decision decision) {
        return decision.source() == Decision.Source.FAILURE_POLICY;
    }

    /** The denial for the drawn share, with what the share of the class would have left. */
    private LimiterDecision shed(LimiterDecision drawn, LimiterDecision unshed) {
        List<LimiterDecision> parts = new ArrayList<>();
        for (int i = 0; i < drawn.parts().size(); i++) {
            LimiterDecision part = drawn.parts().get(i);
            parts.add(
                    part.allowed()
                            ? allowedForShare(part)
                            : shed(part, unshed.parts().get(i)));
        }
        return LimiterDecision.denied(
                        Outcome.SHED,
                        drawn.permits(),
                        drawn.limit(),
                        unshed.remaining() + permits,
                        drawn.retryAfterMicros(),
                        drawn.resetAfterMicros())
                .withParts(parts)
                .withSource(drawn.source());
    }

    private LimiterDecision allowedForShare(LimiterDecision drawn) {
        if (drawn.parts().isEmpty()) {
            return drawn.withRemaining(drawn.limit(), remainingOfShare(drawn));
        }
        List<LimiterDecision> parts = new ArrayList<>();
        for (LimiterDecision part : drawn.parts()) {
            parts.add(part.withRemaining(part.limit(), remainingOfShare(part)));
        }
        LimiterDecision scarcest = parts.get(0);
        for (LimiterDecision part : parts) {
            scarcest = part.remaining() < scarcest.remaining() ? part : scarcest;
        }
        return drawn.withRemaining(scarcest.limit(), scarcest.remaining()).withParts(parts);
    }

    private long remainingOfShare(Decision drawn) {
        return drawn.remaining() + room(drawn.limit(), share) - room(drawn.limit(), drawnShare);
    }

    private static long room(long limit, int percent) {
        return limit * percent / 100;
    }
}
