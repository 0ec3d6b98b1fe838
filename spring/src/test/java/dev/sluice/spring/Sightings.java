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
    private final List<String> seenOfRequests = new CopyOnWriteArrayList<>();

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
            if ("http.server.requests".equals(context.getName())) {
                seenOfRequests.add(outcome.getValue() + " " + rule.getValue());
            }
        }
    }

    /** Waits until all of these were seen; a client may have its response a moment before. */
    public void await(String... all) {
        await(seen, List.of(all));
    }

    /** The same of observations of web requests, and of no others, such as those of Spring Security. */
    public void awaitOfRequests(String... all) {
        await(seenOfRequests, List.of(all));
    }

    private static void await(List<String> seen, List<String> all) {
        Eventually.holds("seen " + all, Duration.ofSeconds(30), () -> seen.containsAll(all), seen::toString);
    }

    public List<String> seen() {
        return seen;
    }
}
