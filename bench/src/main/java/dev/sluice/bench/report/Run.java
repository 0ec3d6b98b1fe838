package dev.sluice.bench.report;

import dev.sluice.bench.report.Steps.Step;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** Runs steps one after the other and prints where it is. A step that fails is reported, and the others go on. */
public final class Run {
    private final PrintStream out = System.out;
    private final List<Step> steps;
    private final long startNanos = System.nanoTime();
    private int started;
    private int failures;

    private Run(List<Step> steps) {
        this.steps = steps;
    }

    /**
     * Measures, prints the report, and writes it to a file if the options say so.
     *
     * @param versions the name and version of everything that took part
     */
    public static void measure(
            Options options, List<Step> steps, Supplier<Map<String, String>> versions, Supplier<Report> report)
            throws IOException {
        if (steps.isEmpty()) {
            throw new Options.BadOption("--only '" + options.only() + "' matches no benchmark");
        }
        Run run = new Run(steps);
        steps.forEach(run::step);
        run.print(options, Machine.describe(versions.get()), report.get());
        run.requireNoFailures();
    }

    /** Runs every step and shows no figures. */
    public static void smoke(List<Step> steps) {
        Run run = new Run(steps);
        steps.forEach(step -> run.step(new Step(step.label(), () -> {
            String unused = step.work().get();
            return "as it says";
        })));
        run.requireNoFailures();
    }

    private void step(Step step) {
        started++;
        Duration elapsed = Duration.ofNanos(System.nanoTime() - startNanos);
        out.printf(
                "[%d of %d, %d:%02d] %s: ",
                started, steps.size(), elapsed.toMinutes(), elapsed.toSecondsPart(), step.label());
        out.flush();
        try {
            out.println(step.work().get());
        } catch (RuntimeException | LinkageError e) {
            failures++;
            out.println("FAILED");
            e.printStackTrace(out);
        }
    }

    private void print(Options options, List<String> machine, Report report) throws IOException {
        out.println();
        machine.forEach(out::println);
        out.println();
        out.print(report.body());
        if (options.report().isPresent()) {
            Path file = options.report().get();
            Files.writeString(file, report.page(options, machine, LocalDate.now(ZoneOffset.UTC)));
            out.println("Written to " + file);
            Path folder = file.toAbsolutePath().getParent();
            if (folder != null && Files.exists(League.file(folder))) {
                League.write(folder); // so that the table is never older than a page
            }
        }
    }

    private void requireNoFailures() {
        if (failures > 0) {
            throw new IllegalStateException(failures + " of " + steps.size() + " failed; see above");
        }
    }
}
