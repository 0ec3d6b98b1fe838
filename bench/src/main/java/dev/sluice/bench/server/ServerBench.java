package dev.sluice.bench.server;

import dev.sluice.bench.report.Effort;
import dev.sluice.bench.report.Machine;
import dev.sluice.bench.report.Measurements;
import dev.sluice.bench.report.Options;
import dev.sluice.bench.report.Run;
import dev.sluice.bench.report.Steps;
import dev.sluice.bench.report.Steps.Step;
import dev.sluice.redis.servers.RedisBinary;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;

/** The benchmarks of the server. */
public final class ServerBench implements AutoCloseable {
    private static final long SETTLE_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** What is measured. */
    enum Figure {
        PER_SECOND,
        CPU_MICROS,
        MEDIAN_MICROS,
        P99_MICROS,
        START_MILLIS,
        IDLE_MEGABYTES
    }

    /**
     * How long a run takes.
     *
     * @param rounds how often each figure is taken
     * @param starts how often each server is started
     * @param warmUpSeconds how long each row that a JVM serves may take to become warm
     * @param leadSeconds how long each row is under load in a round before that counts
     * @param seconds how long it is then, and counts
     * @param rules how many rules there are where there are many
     * @param keys how many keys there are where there are many
     */
    record Length(int rounds, int starts, int warmUpSeconds, int leadSeconds, int seconds, int rules, int keys) {
        static Length of(Effort effort) {
            return switch (effort) {
                case SMOKE -> new Length(1, 1, 0, 0, 1, 100, 2_000);
                case SHORT -> new Length(3, 1, 20, 1, 1, 10_000, 1_000_000);
                case FULL -> new Length(9, 5, 90, 1, 4, 10_000, 1_000_000);
            };
        }
    }

    private final Length length;
    private final Measurements figures;
    private final Servers servers;
    private final ServerLoad load;
    private final ServerThroughput throughput;

    ServerBench(Effort effort, Measurements figures) {
        this.length = Length.of(effort);
        this.figures = figures;
        this.servers = new Servers(length.rules());
        this.load = new ServerLoad(servers, length.keys());
        this.throughput = new ServerThroughput(servers, load, length, figures);
    }

    /** Measures, prints, and writes the report if there is to be one. */
    public static void run(Options options) throws IOException {
        Tools.requireAll();
        Measurements figures = new Measurements();
        try (ServerBench bench = new ServerBench(options.effort(), figures)) {
            Run.measure(
                    options,
                    bench.steps(options.only()),
                    ServerBench::versions,
                    () -> ServerReport.of(figures, options.effort()));
        }
    }

    /** Every benchmark for a moment, to see that it takes the path it says. The figures are worthless. */
    public static void smoke() {
        Tools.requireAll();
        try (ServerBench bench = new ServerBench(Effort.SMOKE, new Measurements())) {
            Run.smoke(bench.steps(Pattern.compile("")));
        }
    }

    List<Step> steps(Pattern only) {
        Steps steps = new Steps(only);
        for (ServerRow row : ServerRow.values()) {
            steps.warmUp(row.label, () -> throughput.warmUp(row));
            steps.round(row.label, () -> throughput.measure(row));
        }
        for (ServerRow row : ServerRow.PACED) {
            String label = "%s at %,d per second".formatted(row.label, ServerThroughput.PACED_PER_SECOND);
            steps.round(label, () -> throughput.pace(row));
        }
        for (int i = 0; i < length.starts(); i++) {
            for (ServerKind kind : ServerKind.STARTED) {
                steps.after("start of " + kind.label, () -> start(kind));
            }
        }
        return steps.inOrder(length.rounds());
    }

    private String start(ServerKind kind) {
        try (Child child = servers.start(kind)) {
            LockSupport.parkNanos(SETTLE_NANOS);
            figures.add(kind, Figure.START_MILLIS, child.startMillis());
            figures.add(kind, Figure.IDLE_MEGABYTES, child.megabytes());
            return "%.0f ms to the first answer, %.1f MB".formatted(child.startMillis(), child.megabytes());
        }
    }

    private static Map<String, String> versions() {
        Map<String, String> versions = new LinkedHashMap<>();
        versions.put("Sluice", Machine.version(dev.sluice.rules.engine.RuleEngine.class));
        versions.put("Vert.x", Machine.version(io.vertx.core.Vertx.class));
        for (Tools tool : Tools.values()) {
            versions.put(tool.program, tool.version());
        }
        versions.put(
                "Redis", RedisBinary.system().orElseGet(RedisBinary::embedded).version());
        return versions;
    }

    @Override
    public void close() {
        load.close();
        servers.close();
    }
}
