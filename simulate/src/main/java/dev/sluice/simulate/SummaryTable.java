package dev.sluice.simulate;

import dev.sluice.Limit;
import java.util.List;
import java.util.Locale;

/** What became of the requests, as a table for a terminal. */
public final class SummaryTable {
    private SummaryTable() {}

    /** One line per algorithm. */
    public static String of(Scenario scenario, List<Simulation> simulations) {
        Traffic traffic = simulations.get(0).traffic();
        StringBuilder table = new StringBuilder();
        table.append(scenario.summary())
                .append(": ")
                .append(traffic.arrivalsMicros().length)
                .append(" requests in ")
                .append(DurationText.format(traffic.durationMicros()))
                .append(System.lineSeparator());
        table.append(row(
                "algorithm",
                "allowed",
                "denied",
                "most in any " + DurationText.format(Micros.of(scenario.period())),
                "bound"));
        for (int i = 0; i < simulations.size(); i++) {
            Simulation simulation = simulations.get(i);
            boolean held = simulation.limit() instanceof Limit.Concurrency;
            table.append(row(
                    scenario.algorithms().get(i).text(),
                    Long.toString(simulation.allowed()),
                    Long.toString(simulation.denied()),
                    held
                            ? simulation.mostUsed() + " at once"
                            : Long.toString(simulation.worst().admitted()),
                    Long.toString(LimitText.of(simulation.limit()).bound())));
        }
        return table.toString();
    }

    private static String row(String name, String allowed, String denied, String most, String bound) {
        return String.format(Locale.ROOT, "%-25s %8s %8s %18s %8s%n", name, allowed, denied, most, bound);
    }
}
