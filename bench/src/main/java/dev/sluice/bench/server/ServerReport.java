package dev.sluice.bench.server;

import dev.sluice.bench.report.Machine;
import dev.sluice.bench.report.Markdown;
import dev.sluice.bench.report.Measurements;
import dev.sluice.bench.report.Options;
import dev.sluice.bench.report.Samples;
import dev.sluice.bench.server.Figures.What;
import dev.sluice.redis.servers.RedisBinary;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The results of the server, as tables and as a page. */
final class ServerReport {
    private final Figures figures;
    private final Markdown text = new Markdown();

    private ServerReport(Figures figures) {
        this.figures = figures;
    }

    /** The tables and the verdicts. */
    static String tables(Figures figures) {
        ServerReport report = new ServerReport(figures);
        report.load("64 requests under way, 10 rules, one key, in memory", Row.BESIDE_PEERS, Row.NGINX_LIMIT);
        report.load("Many rules, many keys", Row.SCALE, Row.CHECK);
        report.load("On Redis, one hot key", Row.REDIS, Row.RAW_REDIS);
        report.delays();
        report.starts();
        report.text.targets(ServerTargets.of(figures));
        return report.text.toString();
    }

    /** The whole page. */
    static String page(Figures figures, Options options, List<String> machine, LocalDate date) {
        return """
                # Benchmarks of the server

                Sluice beside nginx, HAProxy and a trivial reply, all in one run. Written by the command below: do not edit.

                - Date: %s
                - Command: `%s`
                - %s
                - Method: load and servers share the machine, over loopback, each in processes of their own. %d rounds of %d s, each row once in every round, every other round backwards; the median and the range. Rows that a JVM serves are warmed up until its compilers rest, for at most %d s each. Every answer is a success, and was seen to be the right one.
                - Load: wrk with one thread and 64 connections, or 256 on Redis; over HTTP/2 h2load with %d connections of %d streams. CPU is the time of all processes of the server, user and system, for each request; the load generator's is not in it.
                - nginx and HAProxy run as many workers as there are processors, without an access log, and keep connections open. Behind `limit_req` nginx answers with `empty_gif`, the least it can do there (`return` would come before the limit), or with a small file. Targets are by both.
                - Rules: on paths, one of which the request meets, with a counter for each address. 1 and 1,000,000 keys are asked for by the same script of wrk; all of the keys are there before.
                - On Redis: only requests that Redis was asked for count. The limiter alone is asked in this JVM, as `bench redis` does it.
                - Delays: h2load asks %,d times a second, evenly, on %d connections. Start: from the start of the process to the first answer. Memory: a second later, each page shared by processes counted once.

                %s""".formatted(
                        date,
                        options.command(),
                        String.join("\n- ", machine),
                        Effort.of(options).rounds(),
                        Effort.of(options).seconds(),
                        Effort.of(options).warmUpSeconds(),
                        H2load.CONNECTIONS,
                        Load.CONNECTIONS / H2load.CONNECTIONS,
                        Throughput.PACED_PER_SECOND,
                        H2load.CONNECTIONS,
                        tables(figures));
    }

    /** What the figures were measured on, as lines of a list. */
    static List<String> machine() {
        Map<String, String> versions = new LinkedHashMap<>();
        versions.put("Sluice", Machine.version(dev.sluice.rules.RuleEngine.class, "dev.sluice/sluice-rules"));
        versions.put("Vert.x", Machine.version(io.vertx.core.Vertx.class, "io.vertx/vertx-core"));
        for (Tools tool : Tools.values()) {
            versions.put(tool.program, tool.version());
        }
        versions.put(
                "Redis", RedisBinary.system().orElseGet(RedisBinary::embedded).version());
        return Machine.describe(versions);
    }

    private void load(String title, List<Row> of, Row unit) {
        List<List<String>> rows = new ArrayList<>();
        for (Row row : of) {
            List<String> cells = new ArrayList<>(List.of(row.label));
            cells.addAll(figure(row, unit, What.PER_SECOND, "%,.0f"));
            cells.addAll(figure(row, unit, What.CPU_MICROS, "%.1f"));
            add(rows, cells);
        }
        String times = "x " + (unit == Row.RAW_REDIS ? "limiter" : unit.label.replace("sluice GET ", ""));
        table(title, List.of("requests", "per second", "min-max", times, "CPU µs", "min-max", times), rows);
    }

    private List<String> figure(Row row, Row unit, What what, String format) {
        Optional<Samples> samples = figures.samples(row, what);
        return List.of(
                shown(format, samples.map(Samples::median)),
                samples.map(s -> (format + "-" + format).formatted(s.min(), s.max()))
                        .orElse(""),
                shown("%.2f", Measurements.ratio(figures.median(row, what), figures.median(unit, what))));
    }

    private void delays() {
        List<List<String>> rows = new ArrayList<>();
        for (Row row : Row.PACED) {
            add(
                    rows,
                    List.of(
                            row.label,
                            shown("%,.0f", figures.median(row, What.MEDIAN_MICROS)),
                            shown("%,.0f", figures.median(row, What.P99_MICROS))));
        }
        table(
                "Delays at %,d requests per second".formatted(Throughput.PACED_PER_SECOND),
                List.of("delay", "median µs", "99 % within µs"),
                rows);
    }

    private void starts() {
        List<List<String>> rows = new ArrayList<>();
        for (Party party : Party.STARTED) {
            add(
                    rows,
                    List.of(
                            party.label,
                            shown("%,.0f", figures.median(party, What.START_MILLIS)),
                            shown("%,.1f", figures.median(party, What.IDLE_MEGABYTES))));
        }
        table("Start and idle memory", List.of("server", "ms to the first answer", "MB"), rows);
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
