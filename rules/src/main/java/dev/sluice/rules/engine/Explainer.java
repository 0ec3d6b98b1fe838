package dev.sluice.rules.engine;

import dev.sluice.Decision;
import dev.sluice.Outcome;
import dev.sluice.rules.Explanation;
import dev.sluice.rules.Request;
import dev.sluice.rules.RuleDecision;
import dev.sluice.rules.Verdict;
import dev.sluice.rules.match.Condition;
import dev.sluice.rules.match.PathForms;
import dev.sluice.text.Quoted;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Explains, rule by rule, what happens to a request. */
final class Explainer {
    private final Request request;
    private final CompiledRules rules;
    private final ChargeFinder charges;

    Explainer(Request request, CompiledRules rules, ChargeFinder charges) {
        this.request = request;
        this.rules = rules;
        this.charges = charges;
    }

    CompletableFuture<Explanation> explain() {
        List<CompletableFuture<Explanation.Considered>> all = new ArrayList<>();
        if (!rules.hasOneForm(request) && !request.isPathReadable()) {
            PendingCharge charge = charges.ofUnreadable(request);
            String reason = "the path can be read in more than " + PathForms.MAX + " ways";
            all.add(decided(charge, reason, 0));
        } else {
            List<Request> forms = rules.forms(request);
            rules.compiled.forEach(rule -> consider(rule, forms, all));
        }
        return CheckExecution.all(all).thenApply(Explainer::explanation);
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

    /** Adds what a rule does with each form of the request that it treats in another way than the forms before. */
    private void consider(CompiledRule rule, List<Request> forms, List<CompletableFuture<Explanation.Considered>> all) {
        List<PendingCharge> found = new ArrayList<>();
        boolean applies = false;
        for (Request form : forms) {
            if (whyNot(rule, form) != null) {
                continue;
            }
            PendingCharge charge = charges.of(rule, form, rule.share(form));
            String reason = (rule.when.isEmpty() ? "it applies to every request" : "all its conditions match")
                    + (forms.size() == 1
                            ? ""
                            : ", with the path " + Quoted.quoted(form.paths().get(0)));
            int override = rule.override(form) + 1;
            if (charge == null && !applies) {
                all.add(CompletableFuture.completedFuture(new Explanation.Considered(
                        rule.rule, true, reason + ", and it is unlimited", override, null, "")));
            } else if (charge != null && found.stream().noneMatch(other -> ChargeFinder.isSame(other, charge))) {
                found.add(charge);
                all.add(decided(charge, reason, override));
            }
            applies = true;
        }
        String whyNot = applies ? null : whyNot(rule, forms.get(0));
        if (whyNot != null) {
            all.add(CompletableFuture.completedFuture(
                    new Explanation.Considered(rule.rule, false, whyNot, 0, null, "")));
        }
    }

    private static CompletableFuture<Explanation.Considered> decided(
            PendingCharge charge, String reason, int override) {
        return charge.peek()
                .thenApply(decision -> new Explanation.Considered(
                        charge.rule(), true, reason, override, charge.decided(decision), remedy(charge, decision)));
    }

    /** Why a rule does not apply to a form of the request; null if it does. */
    private static @Nullable String whyNot(CompiledRule rule, Request form) {
        for (Condition condition : rule.when) {
            String value = form.attribute(condition.attribute());
            if (!condition.matches(value)) {
                String was = value == null ? "the request has none" : "was " + Quoted.quoted(value);
                return condition + " does not match: " + was;
            }
        }
        String missing = rule.keyFormat.missing(form);
        return missing == null ? null : "the request has no " + missing + ", which its key needs";
    }

    private static String remedy(PendingCharge charge, Decision decision) {
        if (decision.allowed() || !charge.rule().enforces()) {
            return "";
        }
        if (charge.blockedMicros() == Decision.NEVER_MICROS) {
            return "a request that can be read in one way, with every attribute of the key";
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
