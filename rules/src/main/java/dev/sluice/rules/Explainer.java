package dev.sluice.rules;

import dev.sluice.Decision;
import dev.sluice.rules.match.Condition;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Goes through the rules one by one and says what each makes of a request. */
final class Explainer {
    private final Request request;
    private final Function<CompiledRule, @Nullable PendingCharge> stakes;

    Explainer(Request request, Function<CompiledRule, @Nullable PendingCharge> stakes) {
        this.request = request;
        this.stakes = stakes;
    }

    CompletableFuture<Explanation> run(List<CompiledRule> gates) {
        List<CompletableFuture<Explanation.Considered>> all =
                gates.stream().map(this::considered).toList();
        return CompletableFuture.allOf(all.toArray(CompletableFuture<?>[]::new))
                .thenApply(done -> all.stream().map(CompletableFuture::join).toList())
                .thenApply(Explainer::explanation);
    }

    private static Explanation explanation(List<Explanation.Considered> rules) {
        List<RuleDecision> rulings = new ArrayList<>();
        for (Explanation.Considered rule : rules) {
            RuleDecision ruling = rule.decision();
            if (ruling != null) {
                rulings.add(ruling);
            }
        }
        return new Explanation(Verdict.of(rulings), rules);
    }

    private CompletableFuture<Explanation.Considered> considered(CompiledRule gate) {
        Rule rule = gate.rule;
        for (Condition condition : rule.when()) {
            String value = request.attribute(condition.attribute());
            if (!condition.holds(value)) {
                String was = value == null ? "the request has none" : "was " + Quoted.quoted(value);
                return answer(rule, false, condition + " does not hold: " + was);
            }
        }
        String missing = gate.keys.missing(request);
        if (missing != null) {
            return answer(rule, false, "the request has no " + missing + ", which its key needs");
        }
        String reason = rule.when().isEmpty() ? "it applies to every request" : "all its conditions hold";
        PendingCharge stake = stakes.apply(gate);
        int override = gate.override(request) + 1;
        if (stake == null) {
            return CompletableFuture.completedFuture(
                    new Explanation.Considered(rule, true, reason + ", and it is unlimited", override, null, ""));
        }
        return stake.look()
                .thenApply(decision -> new Explanation.Considered(
                        rule, true, reason, override, stake.ruling(decision), remedy(stake, decision)));
    }

    private static CompletableFuture<Explanation.Considered> answer(Rule rule, boolean applies, String reason) {
        return CompletableFuture.completedFuture(new Explanation.Considered(rule, applies, reason, 0, null, ""));
    }

    private static String remedy(PendingCharge stake, Decision decision) {
        if (decision.allowed() || !stake.rule().enforces()) {
            return "";
        }
        if (stake.blockedMicros() > 0) {
            return "the key is blocked for another " + decision.retryAfter() + "; clear the block";
        }
        if (decision.never()) {
            return "a cost of " + decision.permits() + " is more than it ever grants at once; ask for at most "
                    + decision.limit() * stake.share() / 100;
        }
        String wait = decision.retryAfterMicros() == Decision.NEVER_MICROS
                ? "a release of permits that are held"
                : "a wait of " + decision.retryAfter();
        String less = decision.remaining() > 0 ? ", or a cost of at most " + decision.remaining() : "";
        String share = stake.share() < 100 ? ", or a higher priority than " + stake.share() + " %" : "";
        return wait + less + share + ", or a reset of the key";
    }
}
