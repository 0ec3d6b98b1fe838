package dev.sluice.server.history;

import java.time.Duration;
import java.util.OptionalDouble;

/**
 * How many of the requests in a window the service decided as it should, against a target.
 *
 * @param target the part of requests that should be good, such as 0.999
 * @param window the time over which they were counted
 * @param good requests that were decided by the store
 * @param bad requests that were not: a failure policy decided, or the answer was a 5xx
 */
public record Availability(double target, Duration window, long good, long bad) {
    /** The part of requests that were good; empty if there were none. */
    public OptionalDouble availability() {
        return good + bad == 0 ? OptionalDouble.empty() : OptionalDouble.of(good / ((double) good + bad));
    }

    /** How long the service may be down within the window, in minutes. */
    public double budgetMinutes() {
        return (1 - target) * window.toSeconds() / 60;
    }

    /** What is left of that; less than zero if the target is missed. */
    public double budgetLeftMinutes() {
        return budgetMinutes() * (1 - burnRate());
    }

    /** How fast the budget is used: at 1, all of it is used in one window. */
    public double burnRate() {
        return good + bad == 0 ? 0 : bad / ((double) good + bad) / (1 - target);
    }
}
