package dev.sluice.spring.method;

import dev.sluice.rules.RuleCheck;
import dev.sluice.rules.RuleDecision;
import dev.sluice.rules.Verdict;
import dev.sluice.spring.RateLimitedException;
import dev.sluice.spring.RuleRegistry;
import dev.sluice.spring.web.CallerContext;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/** A method and all that limits it. */
record RateLimitedMethod(List<RateLimitOperation> calls, Answer answer) {
    /** How a method answers. */
    enum Answer {
        AT_ONCE,
        FUTURE,
        MONO,
        FLUX
    }

    /** Not limited. */
    static final RateLimitedMethod FREE = new RateLimitedMethod(List.of(), Answer.AT_ONCE);

    RateLimitedMethod {
        calls = List.copyOf(calls);
    }

    boolean asksCaller() {
        return calls.stream().anyMatch(RateLimitOperation::asksCaller);
    }

    List<RuleCheck> asks(MethodInvocation call, CallerContext caller, RuleRegistry registry) {
        List<RuleCheck> asks = new ArrayList<>(calls.size());
        for (int i = 0; i < calls.size(); i++) {
            asks.add(calls.get(i).ask(call, caller, registry));
        }
        return asks;
    }

    /** What a call over the limit gets: what the fallback of the annotation that denied says, or an exception. */
    @Nullable
    Object instead(MethodInvocation call, Verdict verdict) throws Throwable {
        RuleDecision denying = Objects.requireNonNull(verdict.decisive());
        RateLimitedException why = new RateLimitedException(verdict, denying);
        for (RateLimitOperation each : calls) {
            FallbackMethod fallback = each.fallback();
            if (each.rule().equals(denying.rule().name()) && fallback != null) {
                return fallback.call(call, why);
            }
        }
        throw why;
    }
}
