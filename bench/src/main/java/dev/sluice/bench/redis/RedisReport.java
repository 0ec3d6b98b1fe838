package dev.sluice.bench.redis;

import dev.sluice.bench.redis.RedisBench.Figure;
import dev.sluice.bench.redis.Shortcuts.Shortcut;
import dev.sluice.bench.report.Effort;
import dev.sluice.bench.report.Measurements;
import dev.sluice.bench.report.Report;
import dev.sluice.bench.report.Samples;
import dev.sluice.bench.report.Table;
import dev.sluice.bench.report.Target;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The tables and targets of the limiters on Redis. */
final class RedisReport {
    private final Measurements figures;
    private final List<Target> targets = new ArrayList<>();

    private RedisReport(Measurements figures) {
        this.figures = figures;
    }

    static Report of(Measurements figures, Effort effort) {
        RedisReport report = new RedisReport(figures);
        return new Report(
                "Benchmarks on Redis",
                "Sluice beside its peers and beside the floor, all in one run on one server.",
                """
                Method: client and server share the machine, over loopback. %d rounds, each row once in every round, every other round backwards; figures are the median and the range. Every row is warmed up before the first round. Every call is checked to be allowed, or denied, as it should.
                The floor is EVALSHA of a script of INCR and PEXPIRE on one plain Lettuce connection, one script for each request. The other scripts run in the same way. Sluice sends what comes while a script is under way together in the next one; a floor that does the same shows what that alone gains. The row below the floor adds a call of TIME, which every limiter needs that uses the server's clock. One sorted set has the contract of Sluice's log: the server's clock, what remains, when to try again. The mixed row divides keys among four limiters, so that fewer requests can go together. With 1 thread a request is alone; with 16, each waits for its answer; with 256 in flight, one thread sends and does not wait. Both use one key; 100,000 keys are used in random order, with 256 in flight.
                Without asking Redis each time: blocking calls from 2 threads, compared with the floor at 256 in flight. The longest call is taken from 16 threads that pause for 1 ms after each call, while Redis is killed or stopped; the timeout is %d ms.
                Redis time is the time of the commands that a client sends for each decision, by INFO commandstats, with 256 in flight on one key, and for one thread. Bytes are those of all keys of a client, by MEMORY USAGE; the plain counter's name is as long as the longest of them.
                """.formatted(RedisBench.rounds(effort), Shortcuts.TIMEOUT.toMillis())
                        .lines()
                        .toList(),
                report.tables(),
                report.targets());
    }

    private List<Table> tables() {
        List<RedisRow> rows = List.of(RedisRow.values());
        Table.Columns<RedisRow> throughput = Table.of("Every call allowed", "decisions per second", row -> row.label);
        for (RedisLoad load : RedisLoad.values()) {
            throughput
                    .samples(load.label, "%,.0f", row -> figures.samples(row, load))
                    .number("x floor", "%.2f", row -> figures.ratio(row, RedisRow.FLOOR, load));
        }
        return List.of(
                throughput.rows(rows),
                Table.<RedisRow>of(
                                "Redis's part of a decision, 256 in flight on one key", "Redis time", row -> row.label)
                        .number("µs", "%.1f", row -> figures.median(row, Figure.REDIS_MICROS))
                        .number("x floor", "%.2f", row -> figures.ratio(row, RedisRow.FLOOR, Figure.REDIS_MICROS))
                        .number("µs, alone", "%.1f", row -> figures.median(row, Figure.LONE_REDIS_MICROS))
                        .number("x floor", "%.2f", row -> figures.ratio(row, RedisRow.FLOOR, Figure.LONE_REDIS_MICROS))
                        .number("x gateway-style", "%.2f", this::timesGateway)
                        .number("commands", "%.1f", row -> figures.median(row, Figure.COMMANDS))
                        .rows(rows),
                Table.<RedisRow>of("Bytes of a client after one decision", "memory", row -> row.label)
                        .number("bytes", "%.0f", row -> figures.median(row, Figure.BYTES_PER_KEY))
                        .number("plain counter", "%.0f", row -> figures.median(row, Figure.PLAIN_BYTES_PER_KEY))
                        .number("x plain", "%.2f", this::timesPlainCounter)
                        .rows(rows),
                Table.<RedisRow>of("Bytes per permit of a full log", "log", row -> row.label)
                        .number("100 permits", "%.1f", row -> figures.median(row, Figure.BYTES_PER_PERMIT_OF_SMALL_LOG))
                        .number(
                                "10,000 permits",
                                "%.1f",
                                row -> figures.median(row, Figure.BYTES_PER_PERMIT_OF_LARGE_LOG))
                        .rows(RedisRow.LOGS),
                Table.<Shortcut>of(
                                "Sluice without asking Redis each time, blocking calls from 2 threads",
                                "shortcut",
                                shortcut -> shortcut.label)
                        .samples("per second", "%,.0f", shortcut -> figures.samples(shortcut, Figure.PER_SECOND))
                        .number("x floor, 256 in flight", "%.0f", this::timesFloor)
                        .number("longest call, ms", "%.1f", this::longestMillis)
                        .rows(List.of(Shortcut.values())));
    }

    private Optional<Double> timesGateway(RedisRow row) {
        return figures.ratio(row, RedisRow.GATEWAY, Figure.REDIS_MICROS);
    }

    private Optional<Double> timesPlainCounter(RedisRow row) {
        return Measurements.ratio(
                figures.median(row, Figure.BYTES_PER_KEY), figures.median(row, Figure.PLAIN_BYTES_PER_KEY));
    }

    /** How many times the decisions of the floor, at its best. */
    private Optional<Double> timesFloor(Shortcut shortcut) {
        return Measurements.ratio(
                figures.median(shortcut, Figure.PER_SECOND), figures.median(RedisRow.FLOOR, RedisLoad.IN_FLIGHT));
    }

    private Optional<Double> longestMillis(Shortcut shortcut) {
        return figures.samples(shortcut, Figure.LONGEST_MILLIS).map(Samples::max);
    }

    private List<Target> targets() {
        List<RedisRow> oneWord = RedisRow.of(RedisRow.Kind.ONE_WORD);
        for (RedisRow row : oneWord) {
            atLeastTimes(row, RedisLoad.IN_FLIGHT, RedisRow.FLOOR, 2.5);
            atLeastTimes(row, RedisLoad.IN_FLIGHT, RedisRow.FLOOR_TOGETHER, 1.5);
            atLeastTimes(row, RedisLoad.KEYS, RedisRow.FLOOR, 1.5);
            atLeastTimes(row, RedisLoad.KEYS, RedisRow.FLOOR_TOGETHER, 1.0);
            atLeastTimes(row, RedisLoad.THREADS, RedisRow.FLOOR, 1.0);
        }
        atLeastTimes(RedisRow.JEDIS_TOKEN_BUCKET, RedisLoad.THREADS, RedisRow.FLOOR_JEDIS, 0.8);
        for (RedisRow row : oneWord) {
            atMostTimesFloor(row, "Redis time, 256 in flight", Figure.REDIS_MICROS, 1.0);
            atMostTimesFloor(row, "Redis time, alone", Figure.LONE_REDIS_MICROS, 1.6);
        }
        for (RedisRow row : oneWord) {
            targets.add(Target.atMost(
                    row.label + ": Redis time at most 0.5 x the gateway-style script's",
                    "%.2f x",
                    timesGateway(row),
                    0.5));
        }
        for (RedisLoad load : RedisLoad.values()) {
            for (RedisRow row : oneWord) {
                ahead(row, load, RedisRow.of(RedisRow.Kind.PEER), "every peer");
            }
        }
        ahead(RedisRow.JEDIS_TOKEN_BUCKET, RedisLoad.THREADS, List.of(RedisRow.BUCKET4J_JEDIS), "Bucket4j on Jedis");
        for (RedisLoad load : RedisLoad.values()) {
            for (RedisRow row : RedisRow.of(RedisRow.Kind.SLIDING)) {
                ahead(row, load, List.of(RedisRow.SORTED_SET_FULL), "the sorted set with our contract");
            }
        }
        atMostBytes("a log of 10,000 permits", Figure.BYTES_PER_PERMIT_OF_LARGE_LOG, 10);
        atMostBytes("a log of 100 permits", Figure.BYTES_PER_PERMIT_OF_SMALL_LOG, 12);
        for (RedisRow row : oneWord) {
            targets.add(Target.atMost(
                    row.label + ": at most 1.4 x the bytes of a plain counter", "%.2f x", timesPlainCounter(row), 1.4));
        }
        atLeastTimesFloor(Shortcut.DENIED, 100);
        atLeastTimesFloor(Shortcut.DENIED_BY_ONE_OF_TWO, 100);
        atLeastTimesFloor(Shortcut.BATCHED, 50);
        atLeastTimesFloor(Shortcut.DEAD, 10);
        double most = 2.0 * Shortcuts.TIMEOUT.toMillis();
        for (Shortcut shortcut : List.of(Shortcut.DEAD, Shortcut.FROZEN)) {
            targets.add(Target.atMost(
                    shortcut.label + ": no call over %.0f ms, twice the timeout".formatted(most),
                    "%.1f ms",
                    longestMillis(shortcut),
                    most));
        }
        return targets;
    }

    private void atLeastTimes(RedisRow row, RedisLoad load, RedisRow floor, double times) {
        targets.add(Target.atLeast(
                "%s, %s: at least %.1f x %s".formatted(row.label, load.label, times, floor.label),
                "%.2f x",
                figures.ratio(row, floor, load),
                times));
    }

    private void atMostTimesFloor(RedisRow row, String what, Figure figure, double times) {
        targets.add(Target.atMost(
                "%s: %s at most %.1f x the floor's".formatted(row.label, what, times),
                "%.2f x",
                figures.ratio(row, RedisRow.FLOOR, figure),
                times));
    }

    private void atLeastTimesFloor(Shortcut shortcut, int times) {
        String promise = shortcut.label + ": at least " + times + " x the floor";
        targets.add(Target.atLeast(promise, "%.0f x", timesFloor(shortcut), times));
    }

    private void ahead(RedisRow row, RedisLoad load, List<RedisRow> others, String whom) {
        Optional<Double> best = others.stream()
                .flatMap(other -> figures.median(other, load).stream())
                .max(Double::compare);
        targets.add(Target.moreThan(
                row.label + ", " + load.label + ": ahead of " + whom,
                "%,.0f, the best %,.0f",
                figures.median(row, load),
                best));
    }

    private void atMostBytes(String what, Figure figure, int most) {
        targets.add(Target.atMost(
                what + ": at most " + most + " bytes per permit",
                "%.1f",
                figures.median(RedisRow.SLIDING_LOG, figure),
                most));
    }
}
