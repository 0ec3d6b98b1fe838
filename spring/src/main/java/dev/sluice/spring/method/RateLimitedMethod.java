package dev.sluice.spring.method;

import dev.sluice.rules.RuleDecision;
import dev.sluice.rules.Verdict;
import dev.sluice.spring.RateLimitedException;
import dev.sluice.spring.caller.CallerContext;
import java.util.List;
import java.util.Objects;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * A method with the operations of all its annotations, and of those on its class.
 *
 * @param returns what it returns
 * @param scheduled whether it runs by a schedule: then a run over the limit is skipped
 */
record RateLimitedMethod(List<RateLimitOperation> operations, ReturnType returns, boolean scheduled) {
    private static final System.Logger LOG = System.getLogger(RateLimitedMethod.class.getName());

    /** A method without a limit. */
    static final RateLimitedMethod UNLIMITED = new RateLimitedMethod(List.of(), ReturnType.PLAIN, false);

    RateLimitedMethod {
        operations = List.copyOf(operations);
    }

    boolean needsCaller() {
        for (int i = 0; i < operations.size(); i++) {
            if (operations.get(i).needsCaller()) {
                return true;
            }
        }
        return false;
    }

    /** The operations whose conditions a call meets. */
    List<RateLimitOperation> applying(MethodInvocation call, CallerContext caller) {
        for (int i = 0; i < operations.size(); i++) {
            if (operations.get(i).condition() != null) {
                return operations.stream()
                        .filter(operation -> operation.applies(call, caller))
                        .toList();
            }
        }
        return operations;
    }

    /**
     * Answers a call over the limit: by the fallback of the annotation that denied it, or with an exception. A run by a
     * schedule is skipped, since nobody would catch the exception.
     */
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
        if (scheduled) {
            LOG.log(System.Logger.Level.DEBUG, "skipped {0}: {1}", call.getMethod(), why.getMessage());
            return null;
        }
        throw why;
    }
}
