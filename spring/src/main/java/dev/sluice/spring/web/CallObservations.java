package dev.sluice.spring.web;

import dev.sluice.rules.Verdict;
import dev.sluice.spring.RateLimitObservations;
import io.micrometer.observation.Observation;
import org.jspecify.annotations.Nullable;

/**
 * The observations that a limited call belongs to: the one that is current when the call is made, and that of the web
 * request. The former may have ended when the verdict comes, as that of Spring Security has when a servlet goes on
 * asynchronously.
 */
public final class CallObservations {
    private final Observation.@Nullable Context current;
    private final Observation.@Nullable Context ofRequest;

    private CallObservations(Observation.@Nullable Context current, Observation.@Nullable Context ofRequest) {
        this.current = current;
        this.ofRequest = ofRequest;
    }

    /**
     * The observations of a call.
     *
     * @param current the current observation; null if there is none
     * @param request the web request; null if there is none
     */
    public static CallObservations of(@Nullable Observation current, @Nullable WebRequestAdapter request) {
        return new CallObservations(
                current == null ? null : current.getContext(), request == null ? null : ofRequest(request));
    }

    private static Observation.@Nullable Context ofRequest(WebRequestAdapter request) {
        try {
            return request.observation();
        } catch (IllegalStateException over) {
            // The request has ended: some applications hand it to threads that outlive it.
            return null;
        }
    }

    /** Adds a verdict that denies or degrades to them. */
    public void note(Verdict verdict) {
        RateLimitObservations.note(verdict, current);
        RateLimitObservations.note(verdict, ofRequest);
    }
}
