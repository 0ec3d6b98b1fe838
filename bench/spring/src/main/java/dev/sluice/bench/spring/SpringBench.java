package dev.sluice.bench.spring;

import dev.sluice.bench.report.Jmh;
import dev.sluice.bench.report.Options;
import dev.sluice.bench.report.Progress;
import dev.sluice.bench.report.Step;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/** The benchmarks of the starter: {@code bench spring}, with the options of the others. */
public final class SpringBench {
    private static final Jmh.Effort SHORT = new Jmh.Effort(1, 3, 1000, 3, 500);
    private static final Jmh.Effort FULL = new Jmh.Effort(5, 4, 1000, 3, 1000);

    private SpringBench() {}

    public static void main(String[] args) throws IOException {
        Locale.setDefault(Locale.ROOT); // the same digits everywhere
        try {
            run(Options.parse("spring", Arrays.asList(args)));
        } catch (Options.BadOption e) {
            System.err.println("bench: " + e.getMessage());
            System.err.print(Options.USAGE);
            System.exit(2);
        }
    }

    static Jmh.Effort effort(Options options) {
        return options.full() ? FULL : SHORT;
    }

    private static void run(Options options) throws IOException {
        options.requireWritable();
        Figures figures = new Figures();
        List<Step> steps = steps(effort(options), options.only(), figures);
        if (steps.isEmpty()) {
            throw new Options.BadOption("--only '" + options.only() + "' matches no benchmark");
        }
        Progress progress = new Progress(System.out, steps.size());
        steps.forEach(step -> step.run(progress));
        List<String> machine = SpringReport.machine();
        System.out.println();
        machine.forEach(System.out::println);
        System.out.println();
        System.out.print(SpringReport.tables(figures));
        if (options.report().isPresent()) {
            Path report = options.report().get();
            Files.writeString(report, SpringReport.page(figures, options, machine, LocalDate.now(ZoneOffset.UTC)));
            System.out.println("Written to " + report);
        }
        progress.requireNoFailures();
    }

    /** Every round the other way round. */
    private static List<Step> steps(Jmh.Effort effort, Pattern only, Figures figures) {
        List<Step> round = new ArrayList<>();
        for (Kind kind : Kind.values()) {
            for (Row row : kind.rows()) {
                Step step = new Step(kind.label + ": " + row.label, () -> {
                    Jmh.Cost cost = jmh(kind, row).fork(effort, List.of("-Xms512m", "-Xmx512m"));
                    figures.add(kind, row, cost);
                    return "%,.0f ns, %,.0f B".formatted(cost.nanos().median(), cost.bytes());
                });
                if (only.matcher(step.label()).find()) {
                    round.add(step);
                }
            }
        }
        List<Step> all = new ArrayList<>();
        for (int i = 0; i < effort.rounds(); i++) {
            all.addAll(round);
            Collections.reverse(round);
        }
        return all;
    }

    static Jmh jmh(Kind kind, Row row) {
        return new Jmh(kind.benchmarks, kind.method, 1, Map.of("row", row.name()));
    }
}
