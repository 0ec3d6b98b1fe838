package dev.sluice.bench.redis;

import dev.sluice.bench.report.Step;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/** All that a run does, or those parts of it that were asked for. */
final class Steps implements AutoCloseable {
    private final Effort effort;
    private final Pattern only;
    private final Footprint footprint;
    private final Throughput throughput;
    private final Shortcuts rehearsal;
    private final Shortcuts shortcuts;

    Steps(Server server, Effort effort, Pattern only, Figures figures) {
        this.effort = effort;
        this.only = only;
        this.footprint = new Footprint(server, figures);
        this.throughput = new Throughput(server, effort, figures);
        this.rehearsal = new Shortcuts(server, effort, new Figures());
        this.shortcuts = new Shortcuts(server, effort, figures);
    }

    /** Done once, at first. */
    List<Step> memory() {
        List<Step> steps = new ArrayList<>();
        for (Row row : Row.values()) {
            add(steps, "memory, " + row.label, "", () -> footprint.perKey(row));
        }
        for (Row row : Row.LOGS) {
            addLog(steps, row, Figures.What.BYTES_PER_PERMIT_OF_SMALL_LOG, effort.smallLog());
            addLog(steps, row, Figures.What.BYTES_PER_PERMIT_OF_LARGE_LOG, effort.largeLog());
        }
        return steps;
    }

    /** Done once, before the rounds. */
    List<Step> warmUps() {
        List<Step> steps = new ArrayList<>();
        for (Load load : Load.values()) {
            for (Row row : Row.under(load)) {
                add(steps, label(row, load), "warming up ", () -> throughput.warmUp(row, load));
            }
        }
        for (Shortcut shortcut : Shortcut.values()) {
            add(steps, shortcut.label, "warming up ", () -> rehearsal.measure(shortcut));
        }
        return steps;
    }

    /** Done in every round. */
    List<Step> round() {
        List<Step> steps = new ArrayList<>();
        for (Load load : Load.values()) {
            for (Row row : Row.under(load)) {
                add(steps, label(row, load), "", () -> throughput.measure(row, load));
            }
        }
        for (Shortcut shortcut : Shortcut.values()) {
            add(steps, shortcut.label, "", () -> shortcuts.measure(shortcut));
        }
        return steps;
    }

    private static String label(Row row, Load load) {
        return row.label + ", " + load.label;
    }

    private void addLog(List<Step> steps, Row row, Figures.What what, int permits) {
        String label = "memory, %s of %,d permits".formatted(row.label, permits);
        add(steps, label, "", () -> footprint.perPermit(row, what, permits));
    }

    private void add(List<Step> steps, String label, String before, Supplier<String> work) {
        if (only.matcher(label).find()) {
            steps.add(new Step(before + label, work));
        }
    }

    @Override
    public void close() {
        throughput.close();
    }
}
