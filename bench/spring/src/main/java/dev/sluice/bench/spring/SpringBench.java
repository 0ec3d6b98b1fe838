package dev.sluice.bench.spring;

import dev.sluice.bench.report.Effort;
import dev.sluice.bench.report.Jmh;
import dev.sluice.bench.report.Machine;
import dev.sluice.bench.report.Measurements;
import dev.sluice.bench.report.Options;
import dev.sluice.bench.report.Run;
import dev.sluice.bench.report.Steps;
import java.io.IOException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The benchmarks of the starter: {@code bench spring}, with the options of the others. */
public final class SpringBench {
    private SpringBench() {}

    /** A row of one of the tables. */
    record Cell(Kind kind, StarterRow row) {
        Jmh jmh() {
            return new Jmh(StarterBenchmarks.class, kind.method, 1, Map.of("row", row.name(), "kind", kind.name()));
        }
    }

    public static void main(String[] args) throws IOException {
        Options.orUsage(() -> run(Options.read("spring", Arrays.asList(args))));
    }

    static int rounds(Effort effort) {
        return effort.pick(1, 1, 5);
    }

    static Jmh.Timing timing(Effort effort) {
        return effort == Effort.FULL ? new Jmh.Timing(4, 1000, 3, 1000) : new Jmh.Timing(3, 1000, 3, 500);
    }

    private static void run(Options options) throws IOException {
        Measurements figures = new Measurements();
        Steps steps = new Steps(options.only());
        List<String> heap = List.of("-Xms512m", "-Xmx512m");
        for (Kind kind : Kind.values()) {
            for (StarterRow row : kind.rows) {
                Cell cell = new Cell(kind, row);
                steps.round(
                        "a " + kind.method + ": " + row.label,
                        () -> cell.jmh().fork(timing(options.effort()), heap, figures, cell, "%,.0f ns, %,.0f B"));
            }
        }
        Run.measure(
                options,
                steps.inOrder(rounds(options.effort())),
                SpringBench::versions,
                () -> SpringReport.of(figures, options.effort()));
    }

    private static Map<String, String> versions() {
        Map<String, String> versions = new LinkedHashMap<>();
        versions.put("Sluice", Machine.version(dev.sluice.spring.RateLimit.class));
        versions.put("Spring Boot", org.springframework.boot.SpringBootVersion.getVersion());
        versions.put(
                "Bucket4j's starter",
                Machine.version(com.giffing.bucket4j.spring.boot.starter.context.RateLimiting.class));
        versions.put("Resilience4j", Machine.version(io.github.resilience4j.ratelimiter.RateLimiter.class));
        versions.put("JMH", Machine.version(org.openjdk.jmh.runner.Runner.class));
        return versions;
    }
}
