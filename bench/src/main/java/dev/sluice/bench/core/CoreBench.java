package dev.sluice.bench.core;

import dev.sluice.bench.report.Jmh;
import dev.sluice.bench.report.Machine;
import dev.sluice.bench.report.Options;
import dev.sluice.bench.report.Progress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The benchmarks of the in-process limiters. */
public final class CoreBench {
    private CoreBench() {}

    /** Measures, prints, and writes the report if there is to be one. */
    public static void run(Options options) throws IOException {
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
        Machine.describe(versions()).forEach(System.out::println);
        System.out.println();
        System.out.print(Report.tables(results));
        if (options.report().isPresent()) {
            Path report = options.report().get();
            Files.writeString(report, Report.page(results, options, LocalDate.now(ZoneOffset.UTC)));
            System.out.println("Written to " + report);
        }
        progress.requireNoFailures();
    }

    /** Every benchmark for a moment, to see that it takes the path it says. The figures are worthless. */
    public static void smoke() throws IOException {
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
    }

    /** The version of every library that takes part, as its own jar has it. */
    static Map<String, String> versions() {
        Map<String, String> versions = new LinkedHashMap<>();
        versions.put("Sluice", Machine.version(dev.sluice.Limiter.class, "dev.sluice/sluice-core"));
        versions.put(
                "Guava",
                Machine.version(com.google.common.util.concurrent.RateLimiter.class, "com.google.guava/guava"));
        versions.put("Bucket4j", Machine.version(io.github.bucket4j.Bucket.class, "com.bucket4j/bucket4j_jdk17-core"));
        versions.put(
                "Resilience4j",
                Machine.version(
                        io.github.resilience4j.ratelimiter.RateLimiter.class,
                        "io.github.resilience4j/resilience4j-ratelimiter"));
        versions.put("Failsafe", Machine.version(dev.failsafe.RateLimiter.class, "dev.failsafe/failsafe"));
        versions.put("Sentinel", Machine.version(com.alibaba.csp.sentinel.SphU.class, "com.alibaba.csp/sentinel-core"));
        versions.put("JMH", Machine.version(org.openjdk.jmh.runner.Runner.class, "org.openjdk.jmh/jmh-core"));
        return versions;
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
