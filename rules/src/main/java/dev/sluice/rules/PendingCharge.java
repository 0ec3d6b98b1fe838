package dev.sluice.rules;

import dev.sluice.Charge;
import dev.sluice.Decision;
import dev.sluice.Limiter;
import dev.sluice.Outcome;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What one rule has at stake in one request.
 *
 * @param blockedMicros how long the key is still blocked; 0 if it is not
 */
record PendingCharge(Rule rule, NamedLimiter counter, String key, int share, long permits, long blockedMicros) {
    Limiter limiter() {
        return counter.at(share);
    }

    Charge charge() {
        return new Charge(limiter(), key, permits);
    }

    OnExceed.Action action() {
        return rule.onExceed().action();
    }

    boolean waits() {
        return action() == OnExceed.Action.WAIT;
    }

    /** Takes the permits, after a wait if the rule says so. */
    CompletableFuture<Decision> take() {
        return waits()
                ? limiter().acquireAsync(key, permits, rule.onExceed().maxWait())
                : limiter().decideAsync(key, permits);
    }

    /** What a block says, or null if there is none. */
    @Nullable
    Decision blocked() {
        if (blockedMicros == 0) {
            return null;
        }
        return Decision.denied(Outcome.DENIED, permits, 0, 0, blockedMicros, blockedMicros);
    }

    /** What would be answered now. */
    CompletableFuture<Decision> look() {
        Decision blocked = blocked();
        return blocked != null
                ? CompletableFuture.completedFuture(blocked)
                : limiter().peekAsync(key, permits);
    }

    /** How the key stands: what is left of it, or for how long it is denied. */
    CompletableFuture<Decision> standing() {
        PendingCharge nothing = new PendingCharge(rule, counter, key, share, 0, blockedMicros);
        PendingCharge one = new PendingCharge(rule, counter, key, share, 1, blockedMicros);
        return nothing.look()
                .thenCompose(now ->
                        now.allowed() && now.remaining() == 0 ? one.look() : CompletableFuture.completedFuture(now));
    }

    /** What is said in place of an admission whose delay would be longer than the wait by {@code overMicros}. */
    static Decision tooLate(Decision admitted, long overMicros) {
        return Decision.denied(
                Outcome.DENIED,
                admitted.permits(),
                admitted.limit(),
                admitted.remaining(),
                overMicros,
                admitted.resetAfterMicros());
    }

    RuleDecision ruling(Decision decision) {
        Decision told = action() == OnExceed.Action.SHADOW ? decision.asShadow() : decision;
        return new RuleDecision(rule, counter.name, key, share, counter.limiter, told);
    }

    long maxWaitMicros() {
        return TimeUnit.MICROSECONDS.convert(rule.onExceed().maxWait());
    }
}
