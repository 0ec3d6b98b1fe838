package dev.sluice.server.page;

import static java.util.concurrent.TimeUnit.MICROSECONDS;

import dev.sluice.simulate.Algorithm;
import dev.sluice.simulate.LimitSummary;
import dev.sluice.simulate.Scenario;
import dev.sluice.simulate.Simulation;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Arrays;
import java.util.List;

/** A simulation as JSON: the numbers of its table, and every decision, from which an animation can draw each moment. */
final class SimulationJson {
    private SimulationJson() {}

    static JsonObject of(Scenario scenario, List<Simulation> simulations) {
        JsonArray algorithms = new JsonArray();
        for (int i = 0; i < simulations.size(); i++) {
            algorithms.add(algorithm(scenario.algorithms().get(i), simulations.get(i)));
        }
        long[] arrivals = simulations.get(0).traffic().arrivalsMicros();
        return new JsonObject()
                .put("permits", scenario.permits())
                .put("periodMicros", MICROSECONDS.convert(scenario.period()))
                .put("durationMicros", MICROSECONDS.convert(scenario.duration()))
                .put("holdMicros", MICROSECONDS.convert(scenario.hold()))
                .put("slices", scenario.slices())
                .put(
                        "arrivalsMicros",
                        new JsonArray(Arrays.stream(arrivals).boxed().toList()))
                .put("algorithms", algorithms);
    }

    private static JsonObject algorithm(Algorithm algorithm, Simulation simulation) {
        LimitSummary summary = LimitSummary.of(simulation.limit());
        boolean atOnce = simulation.limit().holds();
        StringBuilder decisions = new StringBuilder();
        JsonArray delays = new JsonArray();
        for (Simulation.Event event : simulation.events()) {
            decisions.append(event.allowed() ? '1' : '0');
            if (event.allowed()) {
                delays.add(event.delayMicros());
            }
        }
        JsonObject json = new JsonObject()
                .put("algorithm", algorithm.text())
                .put("limit", simulation.limit().text())
                .put("code", summary.code())
                .put("permits", simulation.limit().permits())
                .put("capacity", simulation.limit().capacity())
                .put("allowed", simulation.allowed())
                .put("denied", simulation.denied())
                .put("most", atOnce ? simulation.mostUsed() : simulation.worst().admitted())
                .put("bound", summary.bound())
                .put("atOnce", atOnce)
                .put("decisions", decisions.toString());
        return simulation.longestDelayMicros() > 0 ? json.put("delaysMicros", delays) : json;
    }
}
