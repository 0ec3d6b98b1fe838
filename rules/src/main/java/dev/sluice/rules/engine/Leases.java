package dev.sluice.rules.engine;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.Outcome;
import dev.sluice.rules.Rule;
import dev.sluice.rules.RuleDecision;
import dev.sluice.rules.Verdict;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * Permits of concurrency limits that somebody outside of this process holds: each hold has a lease in the store, and a token
 * by which any process on the same store releases it.
 *
 * <p>Why there is always a lease: who asks over a network may crash, or may have no way to say that it is done, as a proxy
 * has none. Nothing but the store then knows of the hold, so the store ends it.
 */
public final class Leases {
    /** The lease of a hold for which neither the rule nor the request says one. */
    public static final Duration DEFAULT = Duration.ofMinutes(1);

    private final LongAdder granted = new LongAdder();
    private final LongAdder released = new LongAdder();
    private final BiFunction<String, String, @Nullable Limiter> limiters;

    /** {@code limiters} finds a limiter of the engine by its name and a key. */
    Leases(BiFunction<String, String, @Nullable Limiter> limiters) {
        this.limiters = limiters;
    }

    /** How many requests were given holds. */
    public long granted() {
        return granted.sum();
    }

    /** How many tokens were released, here and before their leases ended. */
    public long released() {
        return released.sum();
    }

    /** Whether a verdict took permits that are held until they are released. */
    public boolean holds(Verdict verdict) {
        List<RuleDecision> decisions = verdict.decisions();
        for (int i = 0; i < decisions.size(); i++) {
            if (isHeld(decisions.get(i))) {
                return true;
            }
        }
        return false;
    }

    private static List<RuleDecision> held(Verdict verdict) {
        return verdict.decisions().stream().filter(Leases::isHeld).toList();
    }

    private static boolean isHeld(RuleDecision each) {
        Decision decision = each.decision();
        return decision.outcome() == Outcome.ALLOWED
                && decision.permits() > 0
                && decision.source() != Decision.Source.FAILURE_POLICY
                && holds(each.limiter().limits());
    }

    private static boolean holds(List<Limit> limits) {
        for (int i = 0; i < limits.size(); i++) {
            if (limits.get(i).holds()) {
                return true;
            }
        }
        return false;
    }

    /**
     * Puts all holds of a verdict under their leases. A denied request keeps no holds, also not of shadow rules: they are
     * released.
     *
     * @param asked the lease that the request asks for, which the rule may shorten; null for that of the rule
     * @return the token; an empty one if the verdict holds nothing; none if the store has no memory for the leases: then
     *     everything that the verdict took has been given back
     */
    public CompletableFuture<Optional<String>> grant(Verdict verdict, @Nullable Duration asked) {
        List<RuleDecision> held = held(verdict);
        if (held.isEmpty()) {
            return CompletableFuture.completedFuture(Optional.of(""));
        }
        if (!verdict.allowed()) {
            return TakenPermits.release(verdict).thenApply(released -> Optional.of(""));
        }
        List<CompletableFuture<OptionalLong>> leased = new ArrayList<>(held.size());
        for (RuleDecision each : held) {
            leased.add(each.limiter().leaseAsync(each.key(), each.decision(), lease(each.rule(), asked)));
        }
        return CheckExecution.all(leased).thenCompose(ids -> token(verdict, held, ids));
    }

    private static Duration lease(Rule rule, @Nullable Duration asked) {
        Duration own = rule.lease();
        if (own == null) {
            return asked == null ? DEFAULT : asked;
        }
        return asked == null || own.compareTo(asked) < 0 ? own : asked;
    }

    private CompletableFuture<Optional<String>> token(
            Verdict verdict, List<RuleDecision> held, List<OptionalLong> ids) {
        List<HoldToken.Held> holds = new ArrayList<>(held.size());
        List<RuleDecision> leased = new ArrayList<>(held.size());
        for (int i = 0; i < ids.size(); i++) {
            if (ids.get(i).isPresent()) {
                RuleDecision each = held.get(i);
                leased.add(each);
                holds.add(new HoldToken.Held(
                        each.limiterName(), each.key(), ids.get(i).getAsLong()));
            }
        }
        HoldToken token = new HoldToken(holds);
        if (holds.size() == held.size()) {
            granted.increment();
            return CompletableFuture.completedFuture(Optional.of(token.text()));
        }
        List<RuleDecision> others = verdict.decisions().stream()
                .filter(each -> !leased.contains(each))
                .toList();
        return CompletableFuture.allOf(release(token), TakenPermits.refund(Verdict.of(others)))
                .thenApply(done -> Optional.empty());
    }

    /**
     * Releases the holds of a token.
     *
     * @return whether one of them was there; the future fails if the store does not answer, and then the lease ends them
     */
    public CompletableFuture<Boolean> release(String token) {
        HoldToken parsed = HoldToken.parse(token);
        if (parsed == null) {
            return CompletableFuture.completedFuture(false);
        }
        return release(parsed).thenApply(found -> {
            if (found) {
                released.increment();
            }
            return found;
        });
    }

    private CompletableFuture<Boolean> release(HoldToken token) {
        List<CompletableFuture<Boolean>> released = new ArrayList<>();
        for (HoldToken.Held held : token.holds()) {
            Limiter limiter = limiters.apply(held.limiter(), held.key());
            if (limiter != null) {
                released.add(limiter.releaseLeaseAsync(held.key(), held.id()));
            }
        }
        return CheckExecution.all(released).thenApply(found -> found.contains(true));
    }
}
