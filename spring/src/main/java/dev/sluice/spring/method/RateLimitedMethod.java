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

/** A method with the operations of all its annotations, and of those on its class. */
record RateLimitedMethod(List<RateLimitOperation> operations, Returns returns) {
    /** What a method returns. */
    enum Returns {
        VALUE,
        FUTURE,
        MONO,
        FLUX
    }

    /** A method without a limit. */
    static final RateLimitedMethod UNLIMITED = new RateLimitedMethod(List.of(), Returns.VALUE);

    RateLimitedMethod {
        operations = List.copyOf(operations);
    }

    boolean needsCaller() {
        return operations.stream().anyMatch(RateLimitOperation::needsCaller);
    }

    List<RuleCheck> checks(MethodInvocation call, CallerContext caller, RuleRegistry registry) {
        List<RuleCheck> checks = new ArrayList<>(operations.size());
        for (int i = 0; i < operations.size(); i++) {
            checks.add(operations.get(i).check(call, caller, registry));
        }
        return checks;
    }

    /** Answers a call over the limit: by the fallback of the annotation that denied it, or with an exception. */
    @Nullable
    Object instead(MethodInvocation call, Verdict verdict) throws Throwable {
        RuleDecision denying = Objects.requireNonNull(verdict.decisive());
        RateLimitedException why = new RateLimitedException(verdict, denying);
        for (RateLimitOperation each : operations) {
            FallbackMethod fallback = each.fallback();
            if (each.rule().equals(denying.rule().name()) && fallback != null) {
                return fallback.call(call, why);
            }
        }
        throw why;
    }
}
