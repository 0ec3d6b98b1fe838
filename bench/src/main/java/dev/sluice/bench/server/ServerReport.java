package dev.sluice.bench.server;

import dev.sluice.bench.report.Effort;
import dev.sluice.bench.report.Measurements;
import dev.sluice.bench.report.Report;
import dev.sluice.bench.report.Table;
import dev.sluice.bench.report.Target;
import dev.sluice.bench.server.ServerBench.Figure;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The tables and targets of the server. */
final class ServerReport {
    private final Measurements figures;

    private ServerReport(Measurements figures) {
        this.figures = figures;
    }

    static Report of(Measurements figures, Effort effort) {
        ServerReport report = new ServerReport(figures);
        ServerBench.Length length = ServerBench.Length.of(effort);
        return new Report(
                "Benchmarks of the server",
                "Sluice beside nginx, HAProxy and a trivial reply, all in one run.",
                """
                Method: load and servers share the machine, over loopback, each server in processes and a session of its own, as services are; Linux divides the processors among sessions. %d rounds of %d s, each row once in every round, every other round backwards; figures are the median and the range. Each row is under load for %d s more before its time counts: only then does the processor have its code and data at hand again, after those of other servers. Rows that a JVM serves are warmed up until its compilers are idle, for at most %d s each. Every response is a success, and one of each row is checked to be the right one.
                Load: wrk with one thread and 64 connections, or 256 on Redis; over HTTP/2 h2load with %d connections of %d streams. CPU is the user and system time of all processes of the server for each request, without the load generator.
                nginx and HAProxy run as many workers as there are processors, without an access log, and keep connections open. Behind `limit_req` nginx answers with `empty_gif`, the least it can do there (`return` would come before the limit), or with a small file. Targets compare with the former.
                Rules: each matches a path and counts by address; a request matches one of them. The same wrk script asks for 1 key and for 1,000,000 keys; all keys exist before the first round.
                Pages: ten clients ask the admin port for `/v1/live` once a second each, and listen to `/v1/events`, in the JVM of the benchmark.
                Hot keys: a server counts which keys come most often while a page is open somewhere. Here a client asks the admin port for them every three seconds, and no page is open. A key that comes all the time is hot; of 1,000,000 keys that come by turns, none is.
                On Redis: only requests that Redis decided count. The limiter without a server is called in the JVM of the benchmark, as in `bench redis`.
                Delays: h2load sends %,d requests a second, evenly, on %d connections. Start: from the start of the process to the first answer, of Sluice with the options and the archive of classes that `./sluice` gives it. Memory: a second later; a page that processes share counts once.
                """.formatted(
                        length.rounds(),
                        length.seconds(),
                        length.leadSeconds(),
                        length.warmUpSeconds(),
                        LoadGenerators.H2_CONNECTIONS,
                        ServerLoad.CONNECTIONS / LoadGenerators.H2_CONNECTIONS,
                        ServerThroughput.PACED_PER_SECOND,
                        LoadGenerators.H2_CONNECTIONS).lines().toList(),
                report.tables(),
                report.targets());
    }

    private List<Table> tables() {
        return List.of(
                underLoad(
                        "64 requests under way, 10 rules, one key, in memory",
                        ServerRow.BESIDE_PEERS,
                        ServerRow.NGINX_LIMIT,
                        "nginx, limit_req"),
                underLoad("Pages that are open", ServerRow.PAGES, ServerRow.CHECK, "none open"),
                underLoad("Hot keys", ServerRow.HOT_KEYS, ServerRow.ONE_KEY, "1 key, not counted"),
                underLoad("Many rules, many keys", ServerRow.SCALE, ServerRow.CHECK, "/v1/check"),
                underLoad("On Redis, one hot key", ServerRow.REDIS, ServerRow.CHECK_256, "in memory"),
                Table.<ServerRow>of(
                                "Delays at %,d requests per second".formatted(ServerThroughput.PACED_PER_SECOND),
                                "delay",
                                row -> row.label)
                        .number("median µs", "%,.0f", row -> figures.median(row, Figure.MEDIAN_MICROS))
                        .number("99 % within µs", "%,.0f", row -> figures.median(row, Figure.P99_MICROS))
                        .rows(ServerRow.PACED),
                Table.<ServerKind>of("Start and idle memory", "server", kind -> kind.label)
                        .number("ms to the first answer", "%,.0f", kind -> figures.median(kind, Figure.START_MILLIS))
                        .number("MB", "%,.1f", kind -> figures.median(kind, Figure.IDLE_MEGABYTES))
                        .rows(ServerKind.STARTED));
    }

    private Table underLoad(String title, List<ServerRow> rows, ServerRow unit, String unitName) {
        return Table.<ServerRow>of(title, "requests", row -> row.label)
                .samples("per second", "%,.0f", row -> figures.samples(row, Figure.PER_SECOND))
                .number("x " + unitName, "%.2f", row -> figures.ratio(row, unit, Figure.PER_SECOND))
                .samples("CPU µs", "%.1f", row -> figures.samples(row, Figure.CPU_MICROS))
                .number("x " + unitName, "%.2f", row -> figures.ratio(row, unit, Figure.CPU_MICROS))
                .rows(rows);
    }

    private List<Target> targets() {
        List<Target> targets = new ArrayList<>();
        targets.addAll(besideNginx(ServerRow.CHECK));
        targets.addAll(besideNginx(ServerRow.FOR_NGINX));
        targets.add(Target.atLeast(
                "RLS over gRPC: at least 0.85 x the decisions of /v1/check for the same processor time",
                "%.2f x",
                timesWork(ServerRow.RLS, ServerRow.CHECK),
                0.85));
        targets.add(Target.atLeast(
                "/v1/check on Redis, 256 connections: at least 0.9 x the same in memory, per second",
                "%.2f x",
                figures.ratio(ServerRow.ON_REDIS, ServerRow.CHECK_256, Figure.PER_SECOND),
                0.9));
        targets.add(Target.atLeast(
                "10 pages open: at least 0.95 x the requests of none open, per second",
                "%.2f x",
                figures.ratio(ServerRow.WATCHED, ServerRow.CHECK, Figure.PER_SECOND),
                0.95));
        targets.add(scales("from 10 to 10,000 rules", ServerRow.MANY_RULES, ServerRow.CHECK));
        targets.add(scales("from 1 to 1,000,000 keys", ServerRow.MANY_KEYS, ServerRow.ONE_KEY));
        return targets;
    }

    /** Compares with the cheapest nginx that limits. */
    private List<Target> besideNginx(ServerRow row) {
        ServerRow nginx = ServerRow.NGINX_LIMIT;
        return List.of(
                Target.atLeast(
                        row.label + ": at least 1.0 x the requests of " + nginx.label + ", per second",
                        "%.2f x",
                        figures.ratio(row, nginx, Figure.PER_SECOND),
                        1.0),
                Target.atMost(
                        row.label + ": at most 1.2 x the processor time of " + nginx.label,
                        "%.2f x",
                        figures.ratio(row, nginx, Figure.CPU_MICROS),
                        1.2));
    }

    /** How many times as much a row does as another for the same processor time. */
    private Optional<Double> timesWork(ServerRow row, ServerRow unit) {
        return figures.ratio(unit, row, Figure.CPU_MICROS);
    }

    private Target scales(String what, ServerRow more, ServerRow less) {
        return Target.lessThan(
                what + ": less than 1.5 x the processor time",
                "%.2f x",
                figures.ratio(more, less, Figure.CPU_MICROS),
                Optional.of(1.5));
    }
}
