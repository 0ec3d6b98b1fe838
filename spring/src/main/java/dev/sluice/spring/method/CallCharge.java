package dev.sluice.spring.method;

import dev.sluice.rules.RuleDecision;
import dev.sluice.rules.Verdict;
import dev.sluice.rules.engine.RuleEngine;
import dev.sluice.spring.LimitedCallListener.Ending;
import dev.sluice.spring.LimitedCallListener.Kind;
import dev.sluice.spring.LimitedCallListener.Result;
import dev.sluice.spring.RuleRegistry;
import dev.sluice.spring.caller.CallerContext;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/** The permits that one call took. They are given back once, when the call is done, as far as they are. */
final class CallCharge {
    private final RuleEngine engine;
    private final Verdict verdict;
    private final List<RateLimitOperation> operations;
    private final MethodInvocation call;
    private final CallerContext caller;
    private final Ending ending;
    private final AtomicBoolean over = new AtomicBoolean();

    CallCharge(
            RuleRegistry registry,
            Verdict verdict,
            List<RateLimitOperation> operations,
            MethodInvocation call,
            CallerContext caller) {
        this.engine = registry.engine();
        this.verdict = verdict;
        this.operations = operations;
        this.call = call;
        this.caller = caller;
        this.ending = registry.began(Kind.METHOD, verdict);
    }

    Verdict verdict() {
        return verdict;
    }

    /** The call was denied or abandoned, or is over: only holds end. */
    void end() {
        end(Result.SUCCESS);
    }

    /** The call failed: only holds end. */
    void failed() {
        end(Result.ERROR);
    }

    private void end(Result result) {
        if (over.compareAndSet(false, true)) {
            engine.release(verdict);
            ending.ended(result);
        }
    }

    /** The call returned: holds end, and operations whose {@code unless} is true are refunded. */
    void returned(@Nullable Object result) {
        Set<String> refunded;
        try {
            refunded = refunded(result);
        } catch (RuntimeException e) {
            failed();
            throw e;
        }
        if (refunded.isEmpty()) {
            end();
        } else if (over.compareAndSet(false, true)) {
            engine.refund(part(refunded, true));
            engine.release(part(refunded, false));
            ending.ended(Result.SUCCESS);
        }
    }

    private Set<String> refunded(@Nullable Object result) {
        Set<String> rules = Set.of();
        for (int i = 0; i < operations.size(); i++) {
            if (operations.get(i).isRefunded(call, caller, result)) {
                rules = rules.isEmpty() ? new HashSet<>() : rules;
                rules.add(operations.get(i).rule());
            }
        }
        return rules;
    }

    private Verdict part(Set<String> rules, boolean in) {
        List<RuleDecision> decisions = verdict.decisions().stream()
                .filter(each -> rules.contains(each.rule().name()) == in)
                .toList();
        return Verdict.of(decisions);
    }
}
