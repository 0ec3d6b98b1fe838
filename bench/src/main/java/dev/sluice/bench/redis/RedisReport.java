package dev.sluice.bench.redis;

import dev.sluice.bench.report.Machine;
import dev.sluice.bench.report.Markdown;
import dev.sluice.bench.report.Options;
import dev.sluice.bench.report.Samples;
import dev.sluice.redis.RedisStore;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The results of the limiters on Redis, as tables and as a page. */
final class RedisReport {
    private final Figures figures;
    private final Markdown text = new Markdown();

    private RedisReport(Figures figures) {
        this.figures = figures;
    }

    /** The tables and the verdicts. */
    static String tables(Figures figures) {
        RedisReport report = new RedisReport(figures);
        report.throughput();
        report.redisTime();
        report.bytesPerKey();
        report.logs();
        report.shortcuts();
        report.text.targets(RedisTargets.of(figures));
        return report.text.toString();
    }

    /** The whole page. */
    static String page(Figures figures, Options options, List<String> machine, LocalDate date) {
        return """
                # Benchmarks on Redis

                Sluice beside its peers and beside the floor, all in one run on one server. Written by the command below: do not edit.

                - Date: %s
                - Command: `%s`
                - %s
                - Method: client and server share the machine, over loopback. %d rounds, each row once in every round, every other round backwards; the median and the range. Everything is warmed up before the first round. Every call is checked to be allowed, or denied, as it should.
                - The floor is EVALSHA of a script of INCR and PEXPIRE on one plain Lettuce connection, as the other scripts are, while Sluice's own sends in one write what comes at the same time; the row below it adds a call of TIME, which every limiter needs that goes by the clock of the server. 16 threads wait for each answer; 256 in flight are asked for by one thread that does not. Hot is one key; 100,000 keys are asked for in random order, 256 in flight.
                - Without asking Redis each time: blocking calls from 2 threads, as multiples of the floor at its best. The longest call is that of 16 threads with a pause of 1 ms after each call, before, while and after Redis goes away, killed or stopped; the timeout is %d ms.
                - Redis time is that of the commands that a client sends, by INFO commandstats, for each decision with 256 in flight on one key. Bytes are by MEMORY USAGE, of all keys of a client; the plain counter's name is as long as the longest of those.

                %s""".formatted(
                        date,
                        options.command(),
                        String.join("\n- ", machine),
                        Effort.of(options).rounds(),
                        Shortcuts.TIMEOUT.toMillis(),
                        tables(figures));
    }

    /** What the figures were measured on, as lines of a list. */
    static List<String> machine(Server server) {
        Map<String, String> versions = new LinkedHashMap<>();
        versions.put("Redis", server.version());
        versions.put("Sluice", Machine.version(RedisStore.class, "dev.sluice/sluice-redis"));
        versions.put("Lettuce", Machine.version(io.lettuce.core.RedisClient.class, "io.lettuce/lettuce-core"));
        versions.put("Jedis", Machine.version(redis.clients.jedis.RedisClient.class, "redis.clients/jedis"));
        versions.put(
                "Bucket4j on Lettuce",
                Machine.version(
                        io.github.bucket4j.redis.lettuce.Bucket4jLettuce.class, "com.bucket4j/bucket4j_jdk17-lettuce"));
        versions.put(
                "Bucket4j on Jedis",
                Machine.version(
                        io.github.bucket4j.redis.jedis.Bucket4jJedis.class, "com.bucket4j/bucket4j_jdk17-jedis"));
        versions.put("Redisson", Machine.version(org.redisson.Redisson.class, "org.redisson/redisson"));
        return Machine.describe(versions);
    }

    private void throughput() {
        List<String> head = new ArrayList<>(List.of("decisions per second"));
        for (Load load : Load.values()) {
            head.addAll(List.of(load.label, "min-max", "x floor"));
        }
        List<List<String>> rows = new ArrayList<>();
        for (Row row : Row.values()) {
            List<String> cells = new ArrayList<>(List.of(row.label));
            for (Load load : Load.values()) {
                Optional<Samples> samples = figures.samples(row, load);
                cells.add(samples.map(s -> "%,.0f".formatted(s.median())).orElse(""));
                cells.add(range(samples));
                cells.add(shown("%.2f", Figures.ratio(figures.median(row, load), figures.median(Row.FLOOR, load))));
            }
            add(rows, cells);
        }
        table("Every call allowed", head, rows);
    }

    private void redisTime() {
        List<List<String>> rows = new ArrayList<>();
        for (Row row : Row.values()) {
            Optional<Double> micros = figures.median(row, Figures.What.REDIS_MICROS);
            Optional<Double> gateway = figures.median(Row.GATEWAY, Figures.What.REDIS_MICROS);
            add(
                    rows,
                    List.of(
                            row.label,
                            shown("%.1f", micros),
                            shown("%.2f", Figures.ratio(micros, figures.median(Row.FLOOR, Figures.What.REDIS_MICROS))),
                            shown("%.2f", Figures.ratio(micros, gateway)),
                            shown("%.1f", figures.median(row, Figures.What.COMMANDS))));
        }
        table(
                "Redis's part of a decision, 256 in flight on one key",
                List.of("Redis time", "µs", "x floor", "x gateway-style", "commands"),
                rows);
    }

    private void bytesPerKey() {
        List<List<String>> rows = new ArrayList<>();
        for (Row row : Row.values()) {
            Optional<Double> bytes = figures.median(row, Figures.What.BYTES_PER_KEY);
            Optional<Double> plain = figures.median(row, Figures.What.PLAIN_BYTES_PER_KEY);
            add(
                    rows,
                    List.of(
                            row.label,
                            shown("%.0f", bytes),
                            shown("%.0f", plain),
                            shown("%.2f", Figures.ratio(bytes, plain))));
        }
        table("Bytes of a client after one decision", List.of("memory", "bytes", "plain counter", "x plain"), rows);
    }

    private void logs() {
        List<List<String>> rows = new ArrayList<>();
        for (Row row : Row.LOGS) {
            add(
                    rows,
                    List.of(
                            row.label,
                            shown("%.1f", figures.median(row, Figures.What.BYTES_PER_PERMIT_OF_SMALL_LOG)),
                            shown("%.1f", figures.median(row, Figures.What.BYTES_PER_PERMIT_OF_LARGE_LOG))));
        }
        table("Bytes per permit of a full log", List.of("log", "100 permits", "10,000 permits"), rows);
    }

    private void shortcuts() {
        List<List<String>> rows = new ArrayList<>();
        for (Shortcut shortcut : Shortcut.values()) {
            Optional<Samples> samples = figures.samples(shortcut, Figures.What.PER_SECOND);
            add(
                    rows,
                    List.of(
                            shortcut.label,
                            samples.map(s -> "%,.0f".formatted(s.median())).orElse(""),
                            range(samples),
                            shown("%.0f", figures.timesFloor(samples.map(Samples::median))),
                            figures.samples(shortcut, Figures.What.LONGEST_MILLIS)
                                    .map(millis -> "%.1f".formatted(millis.max()))
                                    .orElse("")));
        }
        table(
                "Sluice without asking Redis each time, blocking calls from 2 threads",
                List.of("shortcut", "per second", "min-max", "x floor, 256 in flight", "longest call, ms"),
                rows);
    }

    private static String range(Optional<Samples> samples) {
        return samples.map(s -> "%,.0f-%,.0f".formatted(s.min(), s.max())).orElse("");
    }

    private static String shown(String format, Optional<Double> figure) {
        return figure.map(format::formatted).orElse("");
    }

    /** Unless nothing of it was measured. */
    private static void add(List<List<String>> rows, List<String> cells) {
        if (cells.stream().skip(1).anyMatch(cell -> !cell.isEmpty())) {
            rows.add(cells);
        }
    }

    private void table(String title, List<String> head, List<List<String>> rows) {
        if (!rows.isEmpty()) {
            text.table(title, head, rows);
        }
    }
}
