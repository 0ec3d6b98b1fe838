package dev.sluice.spring;

import dev.sluice.redis.servers.Eventually;
import io.micrometer.common.KeyValue;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Sees what observations are told of limits, once they end: the outcome and the rule. */
public final class Sightings implements ObservationHandler<Observation.Context> {
    private final List<String> seen = new CopyOnWriteArrayList<>();

    @Override
    public boolean supportsContext(Observation.Context context) {
        return true;
    }

    @Override
    public void onStop(Observation.Context context) {
        KeyValue rule = context.getHighCardinalityKeyValue("sluice.rule");
        KeyValue outcome = context.getHighCardinalityKeyValue("sluice.outcome");
        if (rule != null && outcome != null) {
            seen.add(outcome.getValue() + " " + rule.getValue());
        }
    }

    /** Waits until all of these were seen; a client may have its response a moment before. */
    public void await(String... all) {
        Eventually.holds(
                "seen " + List.of(all), Duration.ofSeconds(30), () -> seen.containsAll(List.of(all)), seen::toString);
    }

    public List<String> seen() {
        return seen;
    }
}
