package dev.sluice.spring;

import dev.sluice.rules.RuleDecision;
import dev.sluice.rules.Verdict;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;

/** Notes on an observation, such as that of the web request, that it was over a limit, and of which rule. */
public final class RateLimitObservations {
    /** Where Spring leaves the observation in Reactor's context. */
    public static final String IN_CONTEXT = "micrometer.observation";

    private RateLimitObservations() {}

    /** Whether there is anything to note. */
    public static boolean isDue(Verdict verdict) {
        return !verdict.allowed() || verdict.degraded();
    }

    /** On that of the current thread, if there is one. */
    public static void note(Verdict verdict, ObservationRegistry registry) {
        if (isDue(verdict)) {
            note(verdict, registry.getCurrentObservation());
        }
    }

    public static void note(Verdict verdict, @Nullable Observation observation) {
        RuleDecision decisive = verdict.decisive();
        if (observation != null && decisive != null && isDue(verdict)) {
            observation.highCardinalityKeyValue("sluice.rule", decisive.rule().name());
            observation.event(Observation.Event.of(verdict.allowed() ? "sluice.degraded" : "sluice.denied"));
        }
    }
}
