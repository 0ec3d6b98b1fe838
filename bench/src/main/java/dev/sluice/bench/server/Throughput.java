package dev.sluice.bench.server;

import dev.sluice.bench.server.Figures.What;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Requests per second of each row, and the processor time of whoever answers them. Every one of them is allowed. */
final class Throughput {
    static final int PACED_PER_SECOND = 2_000;

    private static final int BATCH = 1000;
    private static final double CALM = 0.02; // the share of the compiler in the time of a JVM that is warm
    private static final Pattern REMAINING = Pattern.compile("\"remaining\":(\\d+)");
    private static final Pattern SCRIPTS = Pattern.compile("cmdstat_evalsha:calls=(\\d+)");

    private final Fleet fleet;
    private final Effort effort;
    private final Figures figures;
    private final Load load;

    Throughput(Fleet fleet, Load load, Effort effort, Figures figures) {
        this.fleet = fleet;
        this.load = load;
        this.effort = effort;
        this.figures = figures;
    }

    /** Sees that the answer is the right one, fills what is to be full, and warms up what is to be warm. */
    String warmUp(Row row) {
        if (row.way != Row.Way.RAW) {
            requireExpected(row);
        }
        if (row == Row.MANY_KEYS) {
            fill(effort.keys());
        }
        boolean cold = row.party != Party.NGINX && row.party != Party.HAPROXY;
        return cold ? heat(row) : "as it should be";
    }

    /** Until the JVM has next to nothing left to compile, or the time is over. */
    private String heat(Row row) {
        if (row.way == Row.Way.RAW) {
            return "%,.0f per second"
                    .formatted(raw(Math.max(1, effort.warmUpSeconds() / 2)).perSecond());
        }
        Child child = fleet.child(row.party);
        double cost = 0;
        double compiling = 1;
        int bursts = 0;
        while (compiling > CALM && bursts < effort.warmUpSeconds()) {
            long before = child.compilerMicros();
            Outcome outcome = burst(row, 1);
            cost = outcome.cpuMicros;
            compiling = (child.compilerMicros() - before) / (cost * outcome.burst.requests());
            bursts++;
        }
        return "%d s, then %.1f µs each, %.0f %% of it to compile".formatted(bursts, cost, 100 * compiling);
    }

    private Burst raw(int seconds) {
        return new Burst((long) (fleet.raw().perSecond(seconds * 1000L) * seconds), seconds);
    }

    String measure(Row row) {
        return switch (row.way) {
            case RAW -> withoutServer(row);
            case REDIS -> onRedis(row);
            case GRPC -> overGrpc(row);
            case HTTP, HTTP2, KEYS -> overHttp(row);
        };
    }

    /** How long requests take that come at a fixed rate. */
    String pace(Row row) {
        H2load.Delays delays = H2load.paced(load.h2Words(row), PACED_PER_SECOND, effort.seconds());
        figures.add(row, What.MEDIAN_MICROS, delays.median());
        figures.add(row, What.P99_MICROS, delays.p99());
        return "median %,.0f µs, 99%% within %,.0f µs".formatted(delays.median(), delays.p99());
    }

    /** What came of a burst, and the processor time of each of its requests. */
    private record Outcome(Burst burst, double cpuMicros) {}

    private Outcome burst(Row row, int seconds) {
        Child child = fleet.child(row.party);
        long before = child.cpuMicros();
        Burst burst = load.run(row, seconds);
        return new Outcome(burst, (child.cpuMicros() - before) / (double) burst.requests());
    }

    private String overHttp(Row row) {
        Outcome outcome = burst(row, effort.seconds());
        return add(row, outcome.burst.perSecond(), outcome.cpuMicros);
    }

    /** gRPC tells of failure in a place where h2load does not look, so the counter must show the decisions. */
    private String overGrpc(Row row) {
        long before = remaining();
        Outcome outcome = burst(row, effort.seconds());
        long requests = outcome.burst.requests();
        long taken = before - remaining();
        if (taken < requests) {
            throw new IllegalStateException("of " + requests + " calls only " + taken + " were counted");
        }
        return add(row, outcome.burst.perSecond(), outcome.cpuMicros);
    }

    /** Only what Redis was asked for counts: with a store that does not answer in time, the rule allows. */
    private String onRedis(Row row) {
        long before = scripts();
        Outcome outcome = burst(row, effort.seconds());
        long requests = outcome.burst.requests();
        long asked = Math.min(requests, scripts() - before);
        return add(row, asked / outcome.burst.seconds(), outcome.cpuMicros)
                + ", Redis asked for %.1f %% of them".formatted(100.0 * asked / requests);
    }

    private String withoutServer(Row row) {
        double perSecond = raw(effort.seconds()).perSecond();
        figures.add(row, What.PER_SECOND, perSecond);
        return "%,.0f per second".formatted(perSecond);
    }

    private String add(Row row, double perSecond, double cpuMicros) {
        figures.add(row, What.PER_SECOND, perSecond);
        figures.add(row, What.CPU_MICROS, cpuMicros);
        return "%,.0f per second, %.1f µs of CPU each".formatted(perSecond, cpuMicros);
    }

    private long remaining() {
        String answer = answer(Row.RLS.party, Row.CHECK.path() + "&cost=0");
        return Long.parseLong(Commands.find(REMAINING, answer).group(1));
    }

    private long scripts() {
        var calls = SCRIPTS.matcher(fleet.redis().text("INFO", "commandstats"));
        return calls.find() ? Long.parseLong(calls.group(1)) : 0;
    }

    private void requireExpected(Row row) {
        Row asked = row == Row.RLS ? Row.CHECK : row; // what gRPC says is not text
        String answer = answer(row.party, asked.path(), asked.fields().toArray(String[]::new));
        if (!answer.contains(asked.expected())) {
            throw new IllegalStateException("no '" + asked.expected() + "' in: " + answer);
        }
    }

    private String answer(Party party, String path, String... fields) {
        try {
            Probe.Answer answer = Probe.get(fleet.child(party).port(), path, fields);
            if (!answer.isSuccess()) {
                throw new IllegalStateException(path + " was answered with: " + answer.text());
            }
            return answer.text();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void fill(int keys) {
        for (int start = 0; start < keys; start += BATCH) {
            String list = IntStream.range(start, Math.min(keys, start + BATCH))
                    .mapToObj(i -> "{\"attributes\":{\"ip\":\"" + RuleText.address(i) + "\",\"path\":\"" + RuleText.PATH
                            + "\"}}")
                    .collect(Collectors.joining(",", "[", "]"));
            try {
                Probe.Answer answer =
                        Probe.post(fleet.child(Party.SLUICE_MANY_KEYS).port(), "/v1/check", list);
                if (!answer.isSuccess()) {
                    throw new IllegalStateException("a list of checks was answered with: " + answer.text());
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
