package dev.sluice.bench.replay;

import dev.sluice.bench.report.Effort;
import dev.sluice.bench.report.Machine;
import dev.sluice.bench.report.Measurements;
import dev.sluice.bench.report.Options;
import dev.sluice.bench.report.Programs;
import dev.sluice.bench.report.Run;
import dev.sluice.bench.report.Steps;
import dev.sluice.bench.report.Steps.Step;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The benchmarks of logs: a generated one is replayed, and counted by others, each in a process of its own. */
public final class ReplayBench implements AutoCloseable {
    /** The largest heap of Sluice. */
    static final String HEAP = "-Xmx384m";

    private static final String LOG = "access.log";
    private static final String JSON = "goaccess.json";
    private static final Pattern COUNTED = Pattern.compile("([\\d,]+) requests|\"total_requests\": (\\d+)");

    /** What is measured. */
    enum Figure {
        PER_SECOND,
        /** Processor time of a line. */
        CPU_MICROS,
        MEGABYTES
    }

    /**
     * How long a run takes.
     *
     * @param lines about how many lines the log has
     * @param rounds how often each program goes through it
     */
    record Length(int lines, int rounds) {
        static Length of(Effort effort) {
            return switch (effort) {
                case SMOKE -> new Length(2_000, 1);
                case SHORT -> new Length(2_000_000, 3);
                case FULL -> new Length(10_000_000, 3);
            };
        }
    }

    private final Length length;
    private final Measurements figures;
    private final Path folder = Programs.folder();
    private long lines;

    ReplayBench(Effort effort, Measurements figures) {
        this.length = Length.of(effort);
        this.figures = figures;
        try {
            for (String file : List.of("count.awk", "minute.yaml", "path.yaml")) {
                Files.writeString(folder.resolve(file), Programs.resource(ReplayBench.class, file));
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot prepare the files", e);
        }
    }

    /** Measures, prints, and writes the report if there is to be one. */
    public static void run(Options options) throws IOException {
        Measurements figures = new Measurements();
        try (ReplayBench bench = new ReplayBench(options.effort(), figures)) {
            Run.measure(
                    options,
                    bench.steps(options.only()),
                    ReplayBench::versions,
                    () -> ReplayBenchReport.of(figures, options.effort()));
        }
    }

    /** Every program on a short log, to see that it counts what it says. The figures are worthless. */
    public static void smoke() {
        try (ReplayBench bench = new ReplayBench(Effort.SMOKE, new Measurements())) {
            Run.smoke(bench.steps(Pattern.compile("")));
        }
    }

    List<Step> steps(Pattern only) {
        Steps steps = new Steps(Pattern.compile(""));
        steps.before(LogReader.GENERATE.label, this::generate);
        for (LogReader reader : LogReader.ALL) {
            if (only.matcher(reader.label).find()) {
                steps.round(reader.label, () -> reader.isThere() ? read(reader) : reader.missing());
            }
        }
        return steps.inOrder(length.rounds());
    }

    private String generate() {
        TimedProcess process = TimedProcess.run(folder, words(LogReader.GENERATE));
        lines = counted(process.output());
        return add(LogReader.GENERATE, process);
    }

    private String read(LogReader reader) {
        TimedProcess process = TimedProcess.run(folder, words(reader));
        long counted = counted(reader == LogReader.GOACCESS ? text(folder.resolve(JSON)) : process.output());
        if (counted != lines) {
            throw new IllegalStateException(reader.label + " counted " + counted + " of " + lines + " requests");
        }
        return add(reader, process);
    }

    private String add(LogReader reader, TimedProcess process) {
        double perSecond = lines / process.seconds();
        double cpuMicros = process.cpuSeconds() * 1e6 / lines;
        figures.add(reader, Figure.PER_SECOND, perSecond);
        figures.add(reader, Figure.CPU_MICROS, cpuMicros);
        if (process.megabytes() > 0) {
            figures.add(reader, Figure.MEGABYTES, process.megabytes());
        }
        return String.format(
                Locale.ROOT,
                "%,.0f lines per second, %.2f µs of CPU each, %,.0f MB",
                perSecond,
                cpuMicros,
                process.megabytes());
    }

    private List<String> words(LogReader reader) {
        return switch (reader) {
            case MAWK, GAWK -> List.of(path(reader), "-f", "count.awk", LOG);
            case GOACCESS ->
                List.of(path(reader), LOG, "--no-global-config", "--log-format=COMBINED", "--no-progress", "-o", JSON);
            case GENERATE -> sluice("generate", "--lines", Integer.toString(length.lines), "--out", LOG);
            case REPLAY -> sluice("replay", LOG, "--rules", "minute.yaml");
            case REPLAY_PATHS -> sluice("replay", LOG, "--rules", "path.yaml");
            case SUGGEST -> sluice("suggest", LOG);
        };
    }

    private static String path(LogReader reader) {
        return reader.path()
                .orElseThrow(() -> new IllegalStateException(reader.missing()))
                .toString();
    }

    /** With the options that {@code ./sluice} gives. */
    private static List<String> sluice(String... args) {
        List<String> flags = new ArrayList<>(List.of("-XX:+UseParallelGC", "-Xms32m", "-XX:-UsePerfData", HEAP));
        return Programs.java(flags, "dev.sluice.server.cli.Main", args);
    }

    /** How many requests a program says that it saw. */
    static long counted(String output) {
        Matcher counted = COUNTED.matcher(output);
        if (!counted.find()) {
            throw new IllegalStateException("no number of requests in: " + output);
        }
        String number = counted.group(1) == null ? counted.group(2) : counted.group(1);
        return Long.parseLong(number.replace(",", ""));
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(file + " cannot be read", e);
        }
    }

    private static Map<String, String> versions() {
        Map<String, String> versions = new LinkedHashMap<>();
        versions.put("Sluice", Machine.version(dev.sluice.rules.engine.RuleEngine.class));
        Arrays.stream(LogReader.values())
                .filter(reader -> !reader.isSluice())
                .forEach(reader ->
                        versions.put(reader.program(), reader.version().orElse("not installed")));
        return versions;
    }

    @Override
    public void close() {
        Programs.delete(folder);
    }
}
