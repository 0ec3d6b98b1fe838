package dev.sluice.bench.core;

import dev.sluice.bench.report.Jmh;
import dev.sluice.bench.report.Machine;
import dev.sluice.bench.report.Markdown;
import dev.sluice.bench.report.Options;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The results of the in-process limiters, as tables and as a page. */
final class Report {
    private final Results results;
    private final Markdown text = new Markdown();

    private Report(Results results) {
        this.results = results;
    }

    /** The tables and the verdicts. */
    static String tables(Results results) {
        Report report = new Report(results);
        for (Group group : Group.values()) {
            report.speed(group);
        }
        report.memory();
        report.text.targets(Targets.of(results));
        return report.text.toString();
    }

    /** The whole page. */
    static String page(Results results, Options options, LocalDate date) {
        String machine = String.join("\n- ", Machine.describe(CoreBench.versions()));
        int rounds = Speed.effort(options).rounds();
        String length = rounds > 1
                ? rounds + " interleaved rounds, one fork of every benchmark in each"
                : "a short run: one fork of every benchmark, good for orders of magnitude and not for the last tenth";
        return """
                # Benchmarks

                Sluice beside its peers and beside the floor, all in one run. Written by the command below: do not edit.

                - Date: %s
                - Command: `%s`
                - %s
                - Method: JMH, %s; the median and the range over all iterations, in ns per call of each thread; heap fixed and touched beforehand. Every call is checked to take the path that is measured. Memory: used heap after full collections, each figure from a JVM of its own.
                - The floor is the least work that could do the job: read the clock and swap one word (allowed), read the clock and one word (denied), look up a map first (keyed). Bytes are those allocated per call.

                %s""".formatted(date, options.command(), machine, length, tables(results));
    }

    private void speed(Group group) {
        List<String> benchmarks = results.benchmarks(group);
        if (benchmarks.isEmpty()) {
            return;
        }
        List<String> head = new ArrayList<>(List.of(group.label));
        for (int threads : group.threads()) {
            head.addAll(List.of("ns, " + threads + (threads == 1 ? " thread" : " threads"), "min-max", "x floor"));
        }
        head.add("bytes");
        List<List<String>> rows = new ArrayList<>();
        for (String benchmark : benchmarks) {
            rows.add(speedRow(group, benchmark));
        }
        text.table(group.title, head, rows);
    }

    private List<String> speedRow(Group group, String benchmark) {
        List<String> row = new ArrayList<>(List.of(Speed.words(benchmark)));
        double bytes = 0;
        for (int threads : group.threads()) {
            Optional<Jmh.Cost> cost = results.cost(group, benchmark, threads);
            row.add(cost.map(c -> number(c.nanos().median())).orElse(""));
            row.add(cost.map(c ->
                            number(c.nanos().min()) + "-" + number(c.nanos().max()))
                    .orElse(""));
            row.add(results.ratio(group, benchmark, threads)
                    .map(ratio -> String.format(Locale.ROOT, "%.2f", ratio))
                    .orElse(""));
            bytes = Math.max(bytes, cost.map(Jmh.Cost::bytes).orElse(0.0));
        }
        row.add("%.0f".formatted(bytes));
        return row;
    }

    private void memory() {
        bytes(MemoryProbe.Kind.KEYS, "Retained bytes per key, without the key, at 1,000,000 keys", "per key");
        bytes(MemoryProbe.Kind.LOG, "A log of 1,000 timestamps", "log");
        List<List<String>> rows = new ArrayList<>();
        for (MemoryProbe probe : results.probes(MemoryProbe.Kind.IDLE)) {
            rows.add(List.of(
                    probe.label,
                    kilobytes(probe, MemoryProbe.EMPTY),
                    kilobytes(probe, MemoryProbe.PEAK),
                    kilobytes(probe, MemoryProbe.AFTER),
                    results.figure(probe, MemoryProbe.CALLS)
                            .map("%,d"::formatted)
                            .orElse("")));
        }
        if (!rows.isEmpty()) {
            text.table(
                    "Ten million one-off keys gone idle while 16 others are still asked for (used heap of the JVM)",
                    List.of("idle", "empty, KB", "peak, KB", "after, KB", "after calls"),
                    rows);
        }
    }

    private void bytes(MemoryProbe.Kind kind, String title, String name) {
        List<List<String>> rows = results.probes(kind).stream()
                .map(probe -> List.of(
                        probe.label,
                        results.figure(probe, MemoryProbe.BYTES)
                                .map("%,d"::formatted)
                                .orElse("")))
                .toList();
        if (!rows.isEmpty()) {
            text.table(title, List.of(name, "bytes"), rows);
        }
    }

    private String kilobytes(MemoryProbe probe, String figure) {
        return results.figure(probe, figure)
                .map(bytes -> "%,d".formatted(bytes / 1000))
                .orElse("");
    }

    private static String number(double nanos) {
        return String.format(Locale.ROOT, nanos < 1000 ? "%.1f" : "%,.0f", nanos);
    }
}
