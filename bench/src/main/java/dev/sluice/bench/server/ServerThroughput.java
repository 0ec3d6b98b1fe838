package dev.sluice.bench.server;

import dev.sluice.bench.report.Measurements;
import dev.sluice.bench.server.LoadGenerators.Burst;
import dev.sluice.bench.server.ServerBench.Figure;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Requests per second of each row, and the processor time of its server. Every request is allowed. */
final class ServerThroughput {
    static final int PACED_PER_SECOND = 2_000;

    private static final int PAGES = 10;
    private static final int BATCH = 1000;
    private static final double CALM = 0.02; // the share of the compiler in the time of a JVM that is warm
    private static final Pattern REMAINING = Pattern.compile("\"remaining\":(\\d+)");

    private final Servers servers;
    private final ServerBench.Length length;
    private final Measurements figures;
    private final ServerLoad load;

    ServerThroughput(Servers servers, ServerLoad load, ServerBench.Length length, Measurements figures) {
        this.servers = servers;
        this.load = load;
        this.length = length;
        this.figures = figures;
    }

    /** Checks the response, creates the state of all keys, and warms up a JVM. */
    String warmUp(ServerRow row) {
        if (row.way != ServerRow.Way.RAW) {
            requireExpected(row);
        }
        if (row.hasManyKeys()) {
            fill(row.server, length.keys());
        }
        return row.server.isJvm() ? heat(row) : "as it should be";
    }

    /** Sends requests until the JVM has next to nothing left to compile, or the time is over. */
    private String heat(ServerRow row) {
        if (row.way == ServerRow.Way.RAW) {
            return "%,.0f per second"
                    .formatted(raw(Math.max(1, length.warmUpSeconds() / 2)).perSecond());
        }
        Child child = servers.child(row.server);
        double cost = 0;
        double compiling = 1;
        int bursts = 0;
        while (compiling > CALM && bursts < length.warmUpSeconds()) {
            long before = child.compilerMicros();
            Outcome outcome = burst(row, 1);
            cost = outcome.cpuMicros;
            compiling = (child.compilerMicros() - before) / (cost * outcome.burst.requests());
            bursts++;
        }
        return "%d s, then %.1f µs each, %.0f %% of it to compile".formatted(bursts, cost, 100 * compiling);
    }

    private Burst raw(int seconds) {
        return new Burst((long) (servers.raw().perSecond(seconds * 1000L) * seconds), seconds);
    }

    String measure(ServerRow row) {
        if (row.way != ServerRow.Way.RAW && length.leadSeconds() > 0) {
            load.run(row, length.leadSeconds());
        }
        return switch (row.way) {
            case RAW -> withoutServer(row);
            case REDIS -> onRedis(row);
            case GRPC -> overGrpc(row);
            case HTTP, WATCHED, HTTP2, KEYS, HOT_KEYS, CROWD -> overHttp(row);
        };
    }

    /** How long requests take that come at a fixed rate. */
    String pace(ServerRow row) {
        LoadGenerators.Delays delays =
                LoadGenerators.h2loadPaced(load.h2Words(row), PACED_PER_SECOND, length.seconds());
        figures.add(row, Figure.MEDIAN_MICROS, delays.median());
        figures.add(row, Figure.P99_MICROS, delays.p99());
        return "median %,.0f µs, 99%% within %,.0f µs".formatted(delays.median(), delays.p99());
    }

    /** A burst, and the processor time of each of its requests. */
    private record Outcome(Burst burst, double cpuMicros) {}

    private Outcome burst(ServerRow row, int seconds) {
        Child child = servers.child(row.server);
        try (OpenPages open = pages(row)) {
            LongSupplier cpuMicros = child.cpuMicrosFromNow();
            Burst burst = load.run(row, seconds);
            long cpu = cpuMicros.getAsLong();
            open.requireAnswers();
            return new Outcome(burst, cpu / (double) burst.requests());
        }
    }

    private OpenPages pages(ServerRow row) {
        int adminPort = servers.adminPort(row.server);
        return switch (row.way) {
            case WATCHED -> OpenPages.open(adminPort, PAGES);
            case HOT_KEYS -> OpenPages.countingHotKeys(adminPort);
            default -> OpenPages.open(adminPort, 0);
        };
    }

    private String overHttp(ServerRow row) {
        Outcome outcome = burst(row, length.seconds());
        return add(row, outcome.burst.perSecond(), outcome.cpuMicros);
    }

    /** gRPC reports failure in a trailer that h2load does not read, so the counter must show the decisions. */
    private String overGrpc(ServerRow row) {
        long before = remaining(row);
        Outcome outcome = burst(row, length.seconds());
        long requests = outcome.burst.requests();
        long taken = before - remaining(row);
        if (taken < requests) {
            throw new IllegalStateException("of " + requests + " calls only " + taken + " were counted");
        }
        return add(row, outcome.burst.perSecond(), outcome.cpuMicros);
    }

    /** Counts only requests that Redis decided: the rule allows when its store does not answer in time. */
    private String onRedis(ServerRow row) {
        long before = remaining(row);
        Outcome outcome = burst(row, length.seconds());
        long requests = outcome.burst.requests();
        long counted = Math.min(requests, before - remaining(row));
        return add(row, counted / outcome.burst.seconds(), outcome.cpuMicros)
                + ", Redis decided %.1f %% of them".formatted(100.0 * counted / requests);
    }

    private String withoutServer(ServerRow row) {
        double perSecond = raw(length.seconds()).perSecond();
        figures.add(row, Figure.PER_SECOND, perSecond);
        return "%,.0f per second".formatted(perSecond);
    }

    private String add(ServerRow row, double perSecond, double cpuMicros) {
        figures.add(row, Figure.PER_SECOND, perSecond);
        figures.add(row, Figure.CPU_MICROS, cpuMicros);
        return "%,.0f per second, %.1f µs of CPU each".formatted(perSecond, cpuMicros);
    }

    /** What the counter of the row's server has left. */
    private long remaining(ServerRow row) {
        String answer = answer(row.server, ServerRow.CHECK.path + "&cost=0");
        return Long.parseLong(LoadGenerators.find(REMAINING, answer).group(1));
    }

    private void requireExpected(ServerRow row) {
        ServerRow asked = row == ServerRow.RLS ? ServerRow.CHECK : row; // what gRPC says is not text
        String answer = answer(row.server, asked.path, asked.fields.toArray(String[]::new));
        if (!answer.contains(asked.expected)) {
            throw new IllegalStateException("no '" + asked.expected + "' in: " + answer);
        }
    }

    private String answer(ServerKind server, String path, String... fields) {
        return Probe.get(servers.child(server).port(), path, fields).requireSuccess(path);
    }

    private void fill(ServerKind server, int keys) {
        for (int start = 0; start < keys; start += BATCH) {
            String list = IntStream.range(start, Math.min(keys, start + BATCH))
                    .mapToObj(i -> "{\"attributes\":{\"ip\":\"" + RuleText.address(i) + "\",\"path\":\"" + RuleText.PATH
                            + "\"}}")
                    .collect(Collectors.joining(",", "[", "]"));
            int port = servers.child(server).port();
            String unused = Probe.post(port, "/v1/check", list).requireSuccess("a list of checks");
        }
    }
}
