package dev.sluice.bench.core;

import static dev.sluice.bench.core.Contender.FIXED_WINDOW;
import static dev.sluice.bench.core.Contender.HOT_KEYS;
import static dev.sluice.bench.core.Contender.LEAKY_BUCKET;
import static dev.sluice.bench.core.Contender.SLIDING_LOG;
import static dev.sluice.bench.core.Contender.SLIDING_WINDOW;
import static dev.sluice.bench.core.Contender.TOKEN_BUCKET;

import dev.sluice.bench.report.Effort;
import dev.sluice.bench.report.Jmh.Figure;
import dev.sluice.bench.report.Measurements;
import dev.sluice.bench.report.Report;
import dev.sluice.bench.report.Samples;
import dev.sluice.bench.report.Table;
import dev.sluice.bench.report.Target;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** The tables and targets of the in-process limiters. */
final class CoreReport {
    private final Measurements figures;
    private final List<Target> targets = new ArrayList<>();

    private CoreReport(Measurements figures) {
        this.figures = figures;
    }

    static Report of(Measurements figures, Effort effort) {
        int rounds = CoreBench.rounds(effort);
        String length = rounds > 1
                ? rounds + " interleaved rounds, one fork of every benchmark in each"
                : "a short run: one fork of every benchmark, good for orders of magnitude and not for the last tenth";
        CoreReport report = new CoreReport(figures);
        return new Report(
                "Benchmarks",
                "Sluice beside its peers and beside the floor, all in one run.",
                List.of(
                        "Method: JMH, " + length
                                + ". Figures are the median and the range over all iterations, in ns per call of each thread. The heap has a fixed size and is touched beforehand. Every call is checked to take the path that is measured. Memory: used heap after full collections, each figure from a JVM of its own.",
                        "The floor is the least work that could do the job: read the clock and swap one word (allowed), read the clock and one word (denied), look up a map first (keyed), count in a map without a window (recorded). Bytes are allocated per call."),
                report.tables(),
                report.targets());
    }

    private List<Table> tables() {
        List<Table> tables = new ArrayList<>();
        for (Group group : Group.values()) {
            tables.add(speed(group));
        }
        tables.add(
                bytes(MemoryProbe.Kind.KEYS, "Retained bytes per key, without the key, at 1,000,000 keys", "per key"));
        tables.add(bytes(MemoryProbe.Kind.LOG, "A log of 1,000 timestamps", "log"));
        tables.add(Table.<MemoryProbe>of(
                        "Ten million one-off keys gone idle while 16 others are still asked for (used heap of the JVM)",
                        "idle",
                        probe -> probe.label)
                .number("empty, KB", "%,.0f", probe -> kilobytes(probe, MemoryProbe.EMPTY))
                .number("peak, KB", "%,.0f", probe -> kilobytes(probe, MemoryProbe.PEAK))
                .number("after, KB", "%,.0f", probe -> kilobytes(probe, MemoryProbe.AFTER))
                .number("after calls", "%,.0f", probe -> figures.median(probe, MemoryProbe.CALLS))
                .rows(MemoryProbe.of(MemoryProbe.Kind.IDLE)));
        tables.add(Table.<QueueProbe>of(
                        "A wait queue of %,d: all join, then all leave in random order".formatted(QueueProbe.WAITERS),
                        "wait queue",
                        probe -> probe.label)
                .number("ns per join", "%,.0f", probe -> figures.median(probe, QueueProbe.JOIN))
                .number("ns per leave", "%,.0f", probe -> figures.median(probe, QueueProbe.LEAVE))
                .rows(List.of(QueueProbe.values())));
        return tables;
    }

    private Table speed(Group group) {
        Table.Columns<Contender> columns = Table.of(group.title, group.label, contender -> contender.label);
        for (int threads : group.threads) {
            columns.text(
                            "ns, " + threads + (threads == 1 ? " thread" : " threads"),
                            contender -> samples(group, contender, threads)
                                    .map(nanos -> shown(nanos.median()))
                                    .orElse(""))
                    .text(
                            "min-max",
                            contender -> samples(group, contender, threads)
                                    .map(nanos -> shown(nanos.min()) + "-" + shown(nanos.max()))
                                    .orElse(""))
                    .number("x floor", "%.2f", contender -> timesFloor(new SpeedRow(group, contender, threads)));
        }
        return columns.number("bytes", "%.0f", contender -> bytes(group, contender))
                .rows(List.copyOf(group.contenders));
    }

    private Optional<Samples> samples(Group group, Contender contender, int threads) {
        return figures.samples(new SpeedRow(group, contender, threads), Figure.NANOS);
    }

    private static String shown(double nanos) {
        return (nanos < 1000 ? "%.1f" : "%,.0f").formatted(nanos);
    }

    private Optional<Double> timesFloor(SpeedRow row) {
        return figures.ratio(row, new SpeedRow(row.group(), row.group().floor, row.threads()), Figure.NANOS);
    }

    /** The most that a call allocated at any number of threads. */
    private Optional<Double> bytes(Group group, Contender contender) {
        return group.threads.stream()
                .flatMap(threads -> figures.samples(new SpeedRow(group, contender, threads), Figure.BYTES).stream())
                .map(Samples::max)
                .max(Double::compare);
    }

    private Table bytes(MemoryProbe.Kind kind, String title, String head) {
        return Table.<MemoryProbe>of(title, head, probe -> probe.label)
                .number("bytes", "%,.0f", probe -> figures.median(probe, MemoryProbe.BYTES))
                .rows(MemoryProbe.of(kind));
    }

    private Optional<Double> kilobytes(MemoryProbe probe, String figure) {
        return figures.median(probe, figure).map(bytes -> Math.floor(bytes / 1000));
    }

    private List<Target> targets() {
        for (Contender contender : List.of(FIXED_WINDOW, TOKEN_BUCKET, LEAKY_BUCKET)) {
            for (int threads : Group.ALLOWED.threads) {
                nearFloor(new SpeedRow(Group.ALLOWED, contender, threads), 1.15);
                aheadOfPeers(new SpeedRow(Group.ALLOWED, contender, threads));
            }
            targets.add(Target.lessThan(
                    "allowed " + contender.label + ": allocates nothing",
                    "%.1f B",
                    bytes(Group.ALLOWED, contender),
                    Optional.of(0.5))); // a fork's own start-up leaves some thousandths per call
        }
        for (Contender contender : List.of(FIXED_WINDOW, TOKEN_BUCKET, LEAKY_BUCKET, SLIDING_WINDOW, SLIDING_LOG)) {
            for (int threads : Group.DENIED.threads) {
                nearFloor(new SpeedRow(Group.DENIED, contender, threads), 1.15);
            }
            Optional<Double> one = figures.median(new SpeedRow(Group.DENIED, contender, 1), Figure.NANOS);
            Optional<Double> two = figures.median(new SpeedRow(Group.DENIED, contender, 2), Figure.NANOS);
            targets.add(Target.atLeast(
                    "denied " + contender.label + ": 2 threads do at least 1.8 x the work of 1",
                    "%.2f x",
                    Measurements.ratio(one.map(nanos -> 2 * nanos), two),
                    1.8));
        }
        for (Contender contender : List.of(SLIDING_WINDOW, SLIDING_LOG)) {
            nearFloor(new SpeedRow(Group.ALLOWED, contender, 1), 1.5);
            aheadOfPeers(new SpeedRow(Group.ALLOWED, contender, 2));
        }
        nearFloor(new SpeedRow(Group.KEYED, FIXED_WINDOW, 1), 1.15);
        nearFloor(new SpeedRow(Group.KEYED, TOKEN_BUCKET, 1), 1.15);
        for (Group group : List.of(Group.RECORDED, Group.RECORDED_MANY)) {
            SpeedRow alone = new SpeedRow(group, HOT_KEYS, 1);
            targets.add(Target.atMost(alone + ": at most 30 ns", "%.1f ns", figures.median(alone, Figure.NANOS), 30));
            group.threads.forEach(threads -> nearFloor(new SpeedRow(group, HOT_KEYS, threads), 1));
            targets.add(Target.lessThan(
                    group.label + " " + HOT_KEYS.label + ": allocates nothing",
                    "%.1f B",
                    bytes(group, HOT_KEYS),
                    Optional.of(0.5)));
        }
        atMostBytes("retained per key, sluice fixed window", MemoryProbe.KEYS_FIXED_WINDOW, 80);
        atMostBytes("retained per key, sluice token bucket", MemoryProbe.KEYS_TOKEN_BUCKET, 80);
        atMostBytes("a sliding log of 1,000", MemoryProbe.LOG_SLUICE, 9000);
        MemoryProbe idle = MemoryProbe.IDLE_TOKEN_BUCKET;
        targets.add(Target.atMost(
                "ten million one-off keys gone idle: heap back to at most 1.05 x empty",
                "%.2f x",
                Measurements.ratio(figures.median(idle, MemoryProbe.AFTER), figures.median(idle, MemoryProbe.EMPTY)),
                1.05));
        return targets;
    }

    private void nearFloor(SpeedRow row, double most) {
        targets.add(Target.atMost(row + ": at most " + most + " x the floor", "%.2f x", timesFloor(row), most));
    }

    private void aheadOfPeers(SpeedRow row) {
        Optional<Double> best = Arrays.stream(Contender.values())
                .filter(Contender::isPeer)
                .flatMap(peer -> figures.median(new SpeedRow(row.group(), peer, row.threads()), Figure.NANOS).stream())
                .min(Double::compare);
        targets.add(Target.lessThan(
                row + ": ahead of every peer", "%.1f ns, the best peer %.1f", figures.median(row, Figure.NANOS), best));
    }

    private void atMostBytes(String what, MemoryProbe probe, int most) {
        targets.add(Target.atMost(
                "%s: at most %,d bytes".formatted(what, most),
                "%,.0f",
                figures.median(probe, MemoryProbe.BYTES),
                most));
    }
}
