package dev.sluice.spring.web;

import dev.sluice.rules.RuleDecision;
import dev.sluice.rules.Verdict;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The verdicts on a request and on annotated calls within it, as its response shows them: one decision for each rule, the
 * newest on a key, and among several keys the one with the least left.
 */
public final class ShownVerdicts {
    private ShownVerdicts() {}

    /** Whether the verdict on a call is shown already. */
    public static boolean hasCalls(WebRequestAdapter request) {
        return request.attribute(RateLimitAttributes.SHOWN) != null;
    }

    /** Adds the verdict on a call, and returns all. */
    public static Verdict add(WebRequestAdapter request, Verdict verdict) {
        Verdict all = with(request, verdict);
        request.attribute(RateLimitAttributes.SHOWN, all);
        return all;
    }

    /** What an answer shows; null if no call is to be shown, or if the answer is a refusal, which tells of all by itself. */
    public static @Nullable Verdict ofAnswer(WebRequestAdapter request) {
        return request.attribute(RateLimitAttributes.REFUSED) == null
                ? (Verdict) request.attribute(RateLimitAttributes.SHOWN)
                : null;
    }

    /** A verdict together with those before. */
    static Verdict with(WebRequestAdapter request, Verdict verdict) {
        Object before = request.attribute(RateLimitAttributes.SHOWN);
        if (before == null) {
            before = request.attribute(RateLimitAttributes.VERDICT);
        }
        if (before == null || before == verdict) {
            return verdict;
        }
        List<RuleDecision> decided = ((Verdict) before).decisions();
        if (decided.isEmpty() && verdict.decisions().size() == 1) {
            return verdict;
        }
        Map<String, RuleDecision> byRule = new LinkedHashMap<>();
        decided.forEach(each -> byRule.put(each.rule().name(), each));
        verdict.decisions().forEach(each -> byRule.merge(each.rule().name(), each, ShownVerdicts::stricter));
        return Verdict.of(new ArrayList<>(byRule.values()));
    }

    private static RuleDecision stricter(RuleDecision before, RuleDecision now) {
        boolean newer = before.key().equals(now.key()) || now.denies();
        return newer || now.decision().remaining() <= before.decision().remaining() ? now : before;
    }
}
