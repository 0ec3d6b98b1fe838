package dev.sluice.bench.core;

import dev.sluice.bench.report.Effort;
import dev.sluice.bench.report.Jmh;
import dev.sluice.bench.report.Machine;
import dev.sluice.bench.report.Measurements;
import dev.sluice.bench.report.Options;
import dev.sluice.bench.report.Programs;
import dev.sluice.bench.report.Run;
import dev.sluice.bench.report.Steps;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** The benchmarks of the in-process limiters. */
public final class CoreBench {
    private CoreBench() {}

    /** Measures, prints, and writes the report if there is to be one. */
    public static void run(Options options) throws IOException {
        Measurements figures = new Measurements();
        Path folder = Programs.folder();
        try {
            Steps steps = new Steps(options.only());
            for (SpeedRow row : SpeedRow.all()) {
                List<String> jvmArgs = List.of(
                        "-Xms" + row.group().heapGigabytes + "g", // fixed, so that no fork pays for growing it
                        "-Xmx" + row.group().heapGigabytes + "g",
                        "-XX:+AlwaysPreTouch",
                        "-Dcsp.sentinel.log.dir=" + folder, // Sentinel writes logs, without being asked, in two places
                        "-DJM.LOG.PATH=" + folder);
                steps.round(
                        row.toString(),
                        () -> row.jmh().fork(timing(options.effort()), jvmArgs, figures, row, "%.1f ns, %.0f B"));
            }
            for (MemoryProbe probe : MemoryProbe.values()) {
                steps.after(probe.toString(), () -> probe.fork(figures));
            }
            for (QueueProbe probe : QueueProbe.values()) {
                steps.after(probe.toString(), () -> probe.fork(figures));
            }
            Run.measure(
                    options,
                    steps.inOrder(rounds(options.effort())),
                    CoreBench::versions,
                    () -> CoreReport.of(figures, options.effort()));
        } finally {
            Programs.delete(folder);
        }
    }

    /** Every benchmark for a moment, to see that it takes the path it says. The figures are worthless. */
    public static void smoke() {
        Path folder = Programs.folder();
        try {
            System.setProperty(Keys.COUNT_PROPERTY, "1000");
            System.setProperty("csp.sentinel.log.dir", folder.toString());
            System.setProperty("JM.LOG.PATH", folder.toString());
            Steps steps = new Steps(Pattern.compile(""));
            SpeedRow.all().forEach(row -> steps.round(row.toString(), row.jmh()::smoke));
            Run.smoke(steps.inOrder(1));
        } finally {
            Programs.delete(folder);
        }
    }

    static int rounds(Effort effort) {
        return effort.pick(1, 1, 5);
    }

    static Jmh.Timing timing(Effort effort) {
        return effort == Effort.FULL ? new Jmh.Timing(2, 500, 3, 500) : new Jmh.Timing(2, 300, 3, 200);
    }

    static Map<String, String> versions() {
        Map<String, String> versions = new LinkedHashMap<>();
        versions.put("Sluice", Machine.version(dev.sluice.Limiter.class));
        versions.put("Guava", Machine.version(com.google.common.util.concurrent.RateLimiter.class));
        versions.put("Bucket4j", Machine.version(io.github.bucket4j.Bucket.class));
        versions.put("Resilience4j", Machine.version(io.github.resilience4j.ratelimiter.RateLimiter.class));
        versions.put("Failsafe", Machine.version(dev.failsafe.RateLimiter.class));
        versions.put("Sentinel", Machine.version(com.alibaba.csp.sentinel.SphU.class));
        versions.put("JMH", Machine.version(org.openjdk.jmh.runner.Runner.class));
        return versions;
    }
}
