package dev.sluice.spring.actuate;

import dev.sluice.rules.Request;
import dev.sluice.rules.Ruling;
import dev.sluice.rules.Verdict;
import dev.sluice.rules.VerdictListener;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;

/** Notes on the observation under way, such as that of the web request, that it was over a limit, and of which rule. */
final class SluiceObservations implements VerdictListener {
    private final ObservationRegistry registry;

    SluiceObservations(ObservationRegistry registry) {
        this.registry = registry;
    }

    @Override
    public void decided(Request request, Verdict verdict) {
        Ruling decisive = verdict.decisive();
        Observation current = decisive == null || (verdict.allowed() && !verdict.degraded())
                ? null
                : registry.getCurrentObservation();
        if (current != null && decisive != null) {
            current.highCardinalityKeyValue("sluice.rule", decisive.rule().name());
            current.event(Observation.Event.of(verdict.allowed() ? "sluice.degraded" : "sluice.denied"));
        }
    }
}
