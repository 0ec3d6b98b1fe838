package dev.sluice.bench;

import dev.sluice.bench.chaos.Chaos;
import dev.sluice.bench.redis.RedisBench;
import dev.sluice.bench.server.ServerBench;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The command line; see {@link Options#USAGE}. */
public final class Main {
    private Main() {}

    public static void main(String[] args) throws IOException {
        Locale.setDefault(Locale.ROOT); // the same digits everywhere
        List<String> all = Arrays.asList(args);
        String command = all.isEmpty() ? "" : all.get(0);
        try {
            switch (command) {
                case "core" -> core(Options.parse(command, all.subList(1, all.size())));
                case "redis" -> redis(Options.parse(command, all.subList(1, all.size())));
                case "server" -> server(Options.parse(command, all.subList(1, all.size())));
                case "smoke" -> smoke(all.subList(1, all.size()));
                case "chaos" -> System.exit(Chaos.run(all.subList(1, all.size()), System.out));
                case "", "-h", "--help", "help" -> System.out.print(Options.USAGE);
                default ->
                    throw new Options.BadOption(
                            "unknown benchmark '" + command + "'; there is: core, redis, server, spring, smoke");
            }
        } catch (Options.BadOption e) {
            System.err.println("bench: " + e.getMessage());
            System.err.print(Options.USAGE);
            System.exit(2);
        }
    }

    private static void core(Options options) throws IOException {
        List<Speed.Cell> cells = Speed.cells(options.only());
        List<MemoryProbe> probes = Memory.probes(options.only());
        if (cells.isEmpty() && probes.isEmpty()) {
            throw new Options.BadOption("--only '" + options.only() + "' matches no benchmark");
        }
        options.requireWritable();
        Jmh.Effort effort = Speed.effort(options);
        Progress progress = new Progress(System.out, cells.size() * effort.rounds() + probes.size());
        Results results = new Results();
        withScratch(scratch -> Speed.run(cells, effort, scratch, progress, results));
        Memory.run(probes, progress, results);

        System.out.println();
        Machine.describe(Machine.versions()).forEach(System.out::println);
        System.out.println();
        System.out.print(Report.tables(results));
        if (options.report().isPresent()) {
            Path report = options.report().get();
            Files.writeString(report, Report.page(results, options, LocalDate.now(ZoneOffset.UTC)));
            System.out.println("Written to " + report);
        }
        progress.requireNoFailures();
    }

    private static void redis(Options options) throws IOException {
        options.requireWritable();
        RedisBench.run(options);
    }

    private static void server(Options options) throws IOException {
        options.requireWritable();
        ServerBench.run(options);
    }

    private static void smoke(List<String> args) throws IOException {
        if (!args.isEmpty()) {
            throw new Options.BadOption("smoke takes no arguments, was given " + args);
        }
        System.setProperty(Keys.COUNT_PROPERTY, "1000");
        List<Speed.Cell> cells = Speed.cells(Pattern.compile(""));
        Progress progress = new Progress(System.out, cells.size());
        withScratch(scratch -> {
            System.setProperty("csp.sentinel.log.dir", scratch.toString());
            System.setProperty("JM.LOG.PATH", scratch.toString());
            for (Speed.Cell cell : cells) {
                progress.step(cell.toString(), () -> {
                    Speed.smoke(cell);
                    return "as it says";
                });
            }
        });
        progress.requireNoFailures();
        RedisBench.smoke();
        ServerBench.smoke();
    }

    private interface ScratchWork {
        void run(Path scratch) throws IOException;
    }

    /** A folder for what the libraries write, gone afterwards. */
    private static void withScratch(ScratchWork work) throws IOException {
        Path scratch = Files.createTempDirectory("sluice-bench");
        try {
            work.run(scratch);
        } finally {
            try (Stream<Path> files = Files.walk(scratch)) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.deleteIfExists(file);
                }
            }
        }
    }
}
