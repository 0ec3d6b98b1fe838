package dev.sluice.bench.replay;

import dev.sluice.bench.replay.ReplayBench.Figure;
import dev.sluice.bench.report.Effort;
import dev.sluice.bench.report.Measurements;
import dev.sluice.bench.report.Report;
import dev.sluice.bench.report.Table;
import dev.sluice.bench.report.Target;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The table and targets of logs. */
final class ReplayBenchReport {
    private static final double MAX_TIMES_AWK = 2;
    private static final double MAX_MEGABYTES = 512;

    private final Measurements figures;

    private ReplayBenchReport(Measurements figures) {
        this.figures = figures;
    }

    static Report of(Measurements figures, Effort effort) {
        ReplayBenchReport report = new ReplayBenchReport(figures);
        ReplayBench.Length length = ReplayBench.Length.of(effort);
        return new Report(
                "Benchmarks of replay and suggest",
                "Sluice on an access log beside awk and GoAccess on the same log, all in one run.",
                """
                Method: `sluice generate` writes a log of about %,d lines in the combined format. Each program then goes through it from its start, in a process of its own: %d rounds, each program once in every round, every other round backwards. Figures are the median and the range. The log is in the system's cache. Each program is checked to have counted every line.
                Lines per second count the time from the start of the process to its end; Sluice uses all processors, the others one. CPU is user and system time of all threads for each line, with the start of the JVM and its compilers. Memory is the largest that the process had at once. Sluice runs with `%s`.
                awk counts requests by ip and minute, and prints how many such counts are above 120. `sluice replay` with one rule answers the same question by `120 per 1m sliding-log`, for every minute that begins with any request; with two rules it also counts `POST /login` by ip. GoAccess makes its whole report, which has more in it than what Sluice prints, and less.
                """.formatted(length.lines(), length.rounds(), ReplayBench.HEAP)
                        .lines()
                        .toList(),
                List.of(report.table()),
                report.targets());
    }

    private Table table() {
        Table.Columns<LogReader> columns = Table.<LogReader>of(
                        "Going through the log", "program", reader -> reader.label + note(reader))
                .samples("lines per second", "%,.0f", reader -> figures.samples(reader, Figure.PER_SECOND))
                .samples("CPU µs", "%.2f", reader -> figures.samples(reader, Figure.CPU_MICROS))
                .number("x mawk", "%.2f", reader -> figures.ratio(reader, LogReader.MAWK, Figure.CPU_MICROS))
                .number("x GoAccess", "%.2f", reader -> figures.ratio(reader, LogReader.GOACCESS, Figure.CPU_MICROS))
                .number("MB", "%,.0f", reader -> figures.median(reader, Figure.MEGABYTES));
        List<LogReader> readers = List.of(LogReader.values());
        return (readers.stream().allMatch(LogReader::isThere) ? columns : columns.text("", LogReader::missing))
                .rows(readers);
    }

    private static String note(LogReader reader) {
        return reader == LogReader.GENERATE ? ", once" : "";
    }

    private List<Target> targets() {
        List<Target> targets = new ArrayList<>();
        for (LogReader reader : LogReader.OF_SLUICE) {
            targets.add(Target.atMost(
                    reader.label + ": at most 2 x the processor time of mawk",
                    "%.2f x",
                    figures.ratio(reader, LogReader.MAWK, Figure.CPU_MICROS),
                    MAX_TIMES_AWK));
        }
        for (LogReader reader : LogReader.OF_SLUICE) {
            targets.add(Target.lessThan(
                    reader.label + ": less processor time than GoAccess",
                    "%.2f x",
                    figures.ratio(reader, LogReader.GOACCESS, Figure.CPU_MICROS),
                    Optional.of(1.0)));
        }
        for (LogReader reader : LogReader.OF_SLUICE) {
            targets.add(Target.atMost(
                    reader.label + ": at most 512 MB of memory, all in all",
                    "%,.0f MB",
                    figures.samples(reader, Figure.MEGABYTES).map(samples -> samples.max()),
                    MAX_MEGABYTES));
        }
        return targets;
    }
}
