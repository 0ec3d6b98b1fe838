package dev.sluice.rules;

import dev.sluice.Decision;
import dev.sluice.Outcome;
import dev.sluice.rules.match.Condition;
import dev.sluice.text.Quoted;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Explains, rule by rule, what happens to a request. */
final class Explainer {
    private final Request request;
    private final Function<CompiledRule, @Nullable PendingCharge> charges;

    Explainer(Request request, Function<CompiledRule, @Nullable PendingCharge> charges) {
        this.request = request;
        this.charges = charges;
    }

    CompletableFuture<Explanation> explain(List<CompiledRule> rules) {
        return CheckExecution.all(rules.stream().map(this::considered).toList()).thenApply(Explainer::explanation);
    }

    private static Explanation explanation(List<Explanation.Considered> rules) {
        List<RuleDecision> decisions = new ArrayList<>();
        for (Explanation.Considered rule : rules) {
            RuleDecision decision = rule.decision();
            if (decision != null) {
                decisions.add(decision);
            }
        }
        return new Explanation(Verdict.of(decisions), rules);
    }

    private CompletableFuture<Explanation.Considered> considered(CompiledRule compiled) {
        Rule rule = compiled.rule;
        for (Condition condition : rule.when()) {
            String value = request.attribute(condition.attribute());
            if (!condition.matches(value)) {
                String was = value == null ? "the request has none" : "was " + Quoted.quoted(value);
                return skipped(rule, condition + " does not hold: " + was);
            }
        }
        String missing = compiled.keyFormat.missing(request);
        if (missing != null) {
            return skipped(rule, "the request has no " + missing + ", which its key needs");
        }
        String reason = rule.when().isEmpty() ? "it applies to every request" : "all its conditions hold";
        PendingCharge charge = charges.apply(compiled);
        int override = compiled.override(request) + 1;
        if (charge == null) {
            return CompletableFuture.completedFuture(
                    new Explanation.Considered(rule, true, reason + ", and it is unlimited", override, null, ""));
        }
        return charge.peek()
                .thenApply(decision -> new Explanation.Considered(
                        rule, true, reason, override, charge.decided(decision), remedy(charge, decision)));
    }

    private static CompletableFuture<Explanation.Considered> skipped(Rule rule, String reason) {
        return CompletableFuture.completedFuture(new Explanation.Considered(rule, false, reason, 0, null, ""));
    }

    private static String remedy(PendingCharge charge, Decision decision) {
        if (decision.allowed() || !charge.rule().enforces()) {
            return "";
        }
        if (charge.blockedMicros() > 0) {
            return "the key is blocked for another " + decision.retryAfter() + "; clear the block";
        }
        if (decision.outcome() == Outcome.NEVER) {
            return "a cost of " + decision.permits() + " is more than it ever grants at once; ask for at most "
                    + decision.limit() * charge.share() / 100;
        }
        String wait = decision.retryAfterMicros() == Decision.NEVER_MICROS
                ? "a release of permits that are held"
                : "a wait of " + decision.retryAfter();
        String less = decision.remaining() > 0 ? ", or a cost of at most " + decision.remaining() : "";
        String share = charge.share() < 100 ? ", or a higher priority than " + charge.share() + " %" : "";
        return wait + less + share + ", or a reset of the key";
    }
}
