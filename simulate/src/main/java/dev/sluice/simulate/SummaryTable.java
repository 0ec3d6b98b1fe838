package dev.sluice.simulate;

import dev.sluice.Durations;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;

/** How many requests each algorithm allowed and denied, as a table for a terminal. */
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
                .append(Durations.text(Duration.of(traffic.durationMicros(), ChronoUnit.MICROS)))
                .append(System.lineSeparator());
        table.append(
                row("algorithm", "allowed", "denied", "most in any " + Durations.text(scenario.period()), "bound"));
        for (int i = 0; i < simulations.size(); i++) {
            Simulation simulation = simulations.get(i);
            table.append(row(
                    scenario.algorithms().get(i).text(),
                    Long.toString(simulation.allowed()),
                    Long.toString(simulation.denied()),
                    simulation.limit().holds()
                            ? simulation.mostUsed() + " at once"
                            : Long.toString(simulation.worst().admitted()),
                    Long.toString(LimitSummary.of(simulation.limit()).bound())));
        }
        return table.toString();
    }

    private static String row(String name, String allowed, String denied, String most, String bound) {
        return String.format(Locale.ROOT, "%-25s %8s %8s %18s %8s%n", name, allowed, denied, most, bound);
    }
}
