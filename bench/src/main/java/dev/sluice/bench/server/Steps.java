package dev.sluice.bench.server;

import dev.sluice.bench.report.Step;
import dev.sluice.bench.server.Figures.What;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/** All that a run does, or those parts of it that were asked for. */
final class Steps implements AutoCloseable {
    private static final long SETTLE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Pattern only;
    private final Figures figures;
    private final Fleet fleet;
    private final Load load;
    private final Throughput throughput;

    Steps(Effort effort, Pattern only, Figures figures) {
        this.only = only;
        this.figures = figures;
        this.fleet = new Fleet(effort);
        this.load = new Load(fleet, effort.keys());
        this.throughput = new Throughput(fleet, load, effort, figures);
    }

    /** Done once, before the rounds. */
    List<Step> warmUps() {
        List<Step> steps = new ArrayList<>();
        for (Row row : Row.values()) {
            add(steps, row.label, "warming up ", () -> throughput.warmUp(row));
        }
        return steps;
    }

    /** Done in every round. */
    List<Step> round() {
        List<Step> steps = new ArrayList<>();
        for (Row row : Row.values()) {
            add(steps, row.label, "", () -> throughput.measure(row));
        }
        for (Row row : Row.PACED) {
            String label = "%s at %,d per second".formatted(row.label, Throughput.PACED_PER_SECOND);
            add(steps, label, "", () -> throughput.pace(row));
        }
        return steps;
    }

    /** Done so many times, at the end. */
    List<Step> starts() {
        List<Step> steps = new ArrayList<>();
        for (Party party : Party.STARTED) {
            add(steps, "start of " + party.label, "", () -> start(party));
        }
        return steps;
    }

    private String start(Party party) {
        try (Child child = fleet.another(party)) {
            LockSupport.parkNanos(SETTLE_NANOS);
            figures.add(party, What.START_MILLIS, child.startMillis());
            figures.add(party, What.IDLE_MEGABYTES, child.megabytes());
            return "%.0f ms to the first answer, %.1f MB".formatted(child.startMillis(), child.megabytes());
        }
    }

    private void add(List<Step> steps, String label, String before, Supplier<String> work) {
        if (only.matcher(label).find()) {
            steps.add(new Step(before + label, work));
        }
    }

    @Override
    public void close() {
        load.close();
        fleet.close();
    }
}
