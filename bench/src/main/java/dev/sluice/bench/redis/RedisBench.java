package dev.sluice.bench.redis;

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
 * The benchmarks of the limiters on Redis.
 *
 * <p>A round is a short while of everything, and every other round goes backwards, so that a slow drift of the machine
 * falls on all alike and the <em>ratios</em> stand.
 */
public final class RedisBench {
    private RedisBench() {}

    /** Measures, prints, and writes the report if there is to be one. */
    public static void run(Options options) throws IOException {
        options.requireWritable();
        Effort effort = Effort.of(options);
        Figures figures = new Figures();
        Progress progress;
        List<String> machine;
        try (Server server = Server.start();
                Steps steps = new Steps(server, effort, options.only(), figures)) {
            List<Step> all = inOrder(steps, effort);
            if (all.isEmpty()) {
                throw new Options.BadOption("--only '" + options.only() + "' matches no benchmark");
            }
            progress = new Progress(System.out, all.size());
            all.forEach(step -> step.run(progress));
            machine = RedisReport.machine(server);
        }
        System.out.println();
        machine.forEach(System.out::println);
        System.out.println();
        System.out.print(RedisReport.tables(figures));
        if (options.report().isPresent()) {
            Path report = options.report().get();
            Files.writeString(report, RedisReport.page(figures, options, machine, LocalDate.now(ZoneOffset.UTC)));
            System.out.println("Written to " + report);
        }
        progress.requireNoFailures();
    }

    /** Every benchmark for a moment, to see that it takes the path it says. The figures are worthless. */
    public static void smoke() {
        try (Server server = Server.start();
                Steps steps = new Steps(server, Effort.SMOKE, Pattern.compile(""), new Figures())) {
            List<Step> all = inOrder(steps, Effort.SMOKE);
            Progress progress = new Progress(System.out, all.size());
            all.forEach(step -> step.silent().run(progress));
            progress.requireNoFailures();
        }
    }

    static List<Step> inOrder(Steps steps, Effort effort) {
        List<Step> all = new ArrayList<>(steps.memory());
        all.addAll(steps.warmUps());
        List<Step> round = new ArrayList<>(steps.round());
        for (int i = 0; i < effort.rounds(); i++) {
            all.addAll(round);
            Collections.reverse(round);
        }
        return all;
    }
}
