package dev.sluice.bench.server;

import dev.sluice.bench.report.Options;
import dev.sluice.bench.report.Progress;
import dev.sluice.bench.report.Step;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The benchmarks of the server.
 *
 * <p>A round is a short while of everything, and every other round goes backwards, so that a slow drift of the machine
 * falls on all alike and the <em>ratios</em> stand.
 */
public final class ServerBench {
    private ServerBench() {}

    /** Measures, prints, and writes the report if there is to be one. */
    public static void run(Options options) throws IOException {
        options.requireWritable();
        Tools.requireAll();
        Effort effort = Effort.of(options);
        Figures figures = new Figures();
        Progress progress;
        try (Steps steps = new Steps(effort, options.only(), figures)) {
            List<Step> all = inOrder(steps, effort);
            if (all.isEmpty()) {
                throw new Options.BadOption("--only '" + options.only() + "' matches no benchmark");
            }
            progress = new Progress(System.out, all.size());
            all.forEach(step -> step.run(progress));
        }
        List<String> machine = ServerReport.machine();
        System.out.println();
        machine.forEach(System.out::println);
        System.out.println();
        System.out.print(ServerReport.tables(figures));
        if (options.report().isPresent()) {
            Path report = options.report().get();
            Files.writeString(report, ServerReport.page(figures, options, machine, LocalDate.now(ZoneOffset.UTC)));
            System.out.println("Written to " + report);
        }
        progress.requireNoFailures();
    }

    /** Every benchmark for a moment, to see that it takes the path it says. The figures are worthless. */
    public static void smoke() {
        Tools.requireAll();
        try (Steps steps = new Steps(Effort.SMOKE, Pattern.compile(""), new Figures())) {
            List<Step> all = inOrder(steps, Effort.SMOKE);
            Progress progress = new Progress(System.out, all.size());
            all.forEach(step -> step.silent().run(progress));
            progress.requireNoFailures();
        }
    }

    static List<Step> inOrder(Steps steps, Effort effort) {
        List<Step> all = new ArrayList<>(steps.warmUps());
        List<Step> round = new ArrayList<>(steps.round());
        for (int i = 0; i < effort.rounds(); i++) {
            all.addAll(round);
            Collections.reverse(round);
        }
        for (int i = 0; i < effort.starts(); i++) {
            all.addAll(steps.starts());
        }
        return all;
    }
}
