package dev.sluice.bench.redis;

import dev.sluice.bench.redis.Shortcuts.Shortcut;
import dev.sluice.bench.report.Effort;
import dev.sluice.bench.report.Machine;
import dev.sluice.bench.report.Measurements;
import dev.sluice.bench.report.Options;
import dev.sluice.bench.report.Run;
import dev.sluice.bench.report.Steps;
import dev.sluice.bench.report.Steps.Step;
import dev.sluice.redis.RedisStore;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** The benchmarks of the limiters on Redis. */
public final class RedisBench implements AutoCloseable {
    /** What is measured beside the decisions per second under a {@link RedisLoad}. */
    enum Figure {
        REDIS_MICROS,
        LONE_REDIS_MICROS,
        COMMANDS,
        BYTES_PER_KEY,
        PLAIN_BYTES_PER_KEY,
        BYTES_PER_PERMIT_OF_SMALL_LOG,
        BYTES_PER_PERMIT_OF_LARGE_LOG,
        PER_SECOND,
        LONGEST_MILLIS
    }

    /** How long each row is warmed up and measured, and how many keys there are where there are many. */
    record Length(int warmupMillis, int millis, int keys) {
        static Length of(Effort effort) {
            return new Length(effort.pick(1, 500, 1000), effort.pick(5, 700, 1800), effort.pick(200, 100_000, 100_000));
        }
    }

    private final Effort effort;
    private final Server server = Server.start();
    private final Footprint footprint;
    private final RedisThroughput throughput;
    private final Shortcuts rehearsal;
    private final Shortcuts shortcuts;

    RedisBench(Effort effort, Measurements figures) {
        this.effort = effort;
        Length length = Length.of(effort);
        this.footprint = new Footprint(server, figures);
        this.throughput = new RedisThroughput(server, length, figures);
        this.rehearsal = new Shortcuts(server, length, new Measurements());
        this.shortcuts = new Shortcuts(server, length, figures);
    }

    /** Measures, prints, and writes the report if there is to be one. */
    public static void run(Options options) throws IOException {
        Measurements figures = new Measurements();
        try (RedisBench bench = new RedisBench(options.effort(), figures)) {
            Run.measure(
                    options,
                    bench.steps(options.only()),
                    bench::versions,
                    () -> RedisReport.of(figures, options.effort()));
        }
    }

    /** Every benchmark for a moment, to see that it takes the path it says. The figures are worthless. */
    public static void smoke() {
        try (RedisBench bench = new RedisBench(Effort.SMOKE, new Measurements())) {
            Run.smoke(bench.steps(Pattern.compile("")));
        }
    }

    static int rounds(Effort effort) {
        return effort.pick(1, 3, 7);
    }

    List<Step> steps(Pattern only) {
        Steps steps = new Steps(only);
        for (RedisRow row : RedisRow.values()) {
            steps.before("memory, " + row.label, () -> footprint.perKey(row));
        }
        for (RedisRow row : RedisRow.LOGS) {
            addLog(steps, row, Figure.BYTES_PER_PERMIT_OF_SMALL_LOG, effort.pick(5, 100, 100));
            addLog(steps, row, Figure.BYTES_PER_PERMIT_OF_LARGE_LOG, effort.pick(50, 10_000, 10_000));
        }
        for (RedisLoad load : RedisLoad.values()) {
            for (RedisRow row : RedisRow.under(load)) {
                steps.warmUp(row.label + ", " + load.label, () -> throughput.warmUp(row, load));
                steps.round(row.label + ", " + load.label, () -> throughput.measure(row, load));
            }
        }
        for (Shortcut shortcut : Shortcut.values()) {
            steps.warmUp(shortcut.label, () -> rehearsal.measure(shortcut));
            steps.round(shortcut.label, () -> shortcuts.measure(shortcut));
        }
        return steps.inOrder(rounds(effort));
    }

    private void addLog(Steps steps, RedisRow row, Figure figure, int permits) {
        String label = "memory, %s of %,d permits".formatted(row.label, permits);
        steps.before(label, () -> footprint.perPermit(row, figure, permits));
    }

    private Map<String, String> versions() {
        Map<String, String> versions = new LinkedHashMap<>();
        versions.put("Redis", server.version());
        versions.put("Sluice", Machine.version(RedisStore.class));
        versions.put("Lettuce", Machine.version(io.lettuce.core.RedisClient.class));
        versions.put("Jedis", Machine.version(redis.clients.jedis.RedisClient.class));
        versions.put("Bucket4j on Lettuce", Machine.version(io.github.bucket4j.redis.lettuce.Bucket4jLettuce.class));
        versions.put("Bucket4j on Jedis", Machine.version(io.github.bucket4j.redis.jedis.Bucket4jJedis.class));
        versions.put("Redisson", Machine.version(org.redisson.Redisson.class));
        return versions;
    }

    @Override
    public void close() {
        throughput.close();
        server.close();
    }
}
