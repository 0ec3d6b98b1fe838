package dev.sluice.spring;

import dev.sluice.rules.RuleDecision;
import dev.sluice.rules.Verdict;
import io.micrometer.common.KeyValue;
import io.micrometer.observation.Observation;
import org.jspecify.annotations.Nullable;

/**
 * Adds to an observation, such as that of a web request, that a rule denied or degraded it: {@code sluice.outcome} and
 * {@code sluice.rule}.
 *
 * <p>They are values of high cardinality, which go into traces. An event would become a counter as well, with the tags that
 * the observation has at that moment: when a request is denied, status and route are not known yet, and would be wrong.
 */
public final class RateLimitObservations {
    /** The key of the observation in Reactor's context, as Spring sets it. */
    public static final String IN_CONTEXT = "micrometer.observation";

    private RateLimitObservations() {}

    /** Whether the verdict denies or degrades. */
    public static boolean isDue(Verdict verdict) {
        return !verdict.allowed() || verdict.degraded();
    }

    /** Adds to an observation; does nothing without one. */
    public static void note(Verdict verdict, Observation.@Nullable Context observation) {
        RuleDecision decisive = verdict.decisive();
        if (observation != null && decisive != null && isDue(verdict)) {
            observation.addHighCardinalityKeyValue(
                    KeyValue.of("sluice.rule", decisive.rule().name()));
            observation.addHighCardinalityKeyValue(
                    KeyValue.of("sluice.outcome", verdict.allowed() ? "degraded" : "denied"));
        }
    }
}
