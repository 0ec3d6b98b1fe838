package dev.sluice.spring;

import io.micrometer.common.KeyValue;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Sees what observations are told of limits: the event and the rule. */
public final class Sightings implements ObservationHandler<Observation.Context> {
    private final List<String> seen = new CopyOnWriteArrayList<>();

    @Override
    public boolean supportsContext(Observation.Context context) {
        return true;
    }

    @Override
    public void onEvent(Observation.Event event, Observation.Context context) {
        KeyValue rule = context.getHighCardinalityKeyValue("sluice.rule");
        if (rule != null) {
            seen.add(event.getName() + " " + rule.getValue());
        }
    }

    public List<String> seen() {
        return seen;
    }
}
