package dev.sluice.bench;

import static java.util.Objects.requireNonNull;

import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.BenchmarkResult;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * Runs the JMH benchmarks.
 *
 * <p>Why not JMH's own order: it runs all forks of one benchmark, then all of the next, minutes later, when the machine
 * may have become another one (frequency, neighbours, temperature). Here a round is one short fork of every benchmark,
 * and every other round goes backwards, so that a slow drift falls on all of them alike and the <em>ratios</em> stand.
 */
final class Speed {
    /** One benchmark at one number of threads. */
    record Cell(Group group, String benchmark, int threads) {
        @Override
        public String toString() {
            return group.label + " " + words(benchmark) + ", " + threads + (threads == 1 ? " thread" : " threads");
        }
    }

    /** What a cell cost. */
    record Cost(Samples nanos, double bytes) {
        Cost with(Cost more) {
            return new Cost(nanos.with(more.nanos), Math.max(bytes, more.bytes));
        }
    }

    /** How long a fork lasts, and how many there are of each. */
    record Effort(int rounds, int warmups, int warmupMillis, int iterations, int iterationMillis) {
        static final Effort SMOKE = new Effort(1, 0, 1, 1, 5);
        static final Effort SHORT = new Effort(1, 2, 300, 3, 200);
        static final Effort FULL = new Effort(5, 2, 500, 3, 500);

        static Effort of(Options options) {
            return options.full() ? FULL : SHORT;
        }
    }

    private Speed() {}

    static List<Cell> cells(Pattern only) {
        List<Cell> cells = new ArrayList<>();
        for (Group group : Group.values()) {
            for (int threads : group.threads()) {
                benchmarks(group).stream()
                        .map(name -> new Cell(group, name, threads))
                        .filter(cell -> only.matcher(cell.toString()).find())
                        .forEach(cells::add);
            }
        }
        return cells;
    }

    /** The floors first, then Sluice, then the peers. */
    private static List<String> benchmarks(Group group) {
        List<String> names = Arrays.stream(group.benchmarks.getDeclaredMethods())
                .filter(method -> method.isAnnotationPresent(Benchmark.class))
                .map(Method::getName)
                .sorted()
                .toList();
        List<String> ordered = new ArrayList<>();
        names.stream().filter(Speed::isFloor).forEach(ordered::add);
        names.stream().filter(Speed::isSluice).forEach(ordered::add);
        names.stream().filter(name -> !ordered.contains(name)).forEach(ordered::add);
        return ordered;
    }

    static boolean isFloor(String benchmark) {
        return benchmark.startsWith("floor");
    }

    static boolean isSluice(String benchmark) {
        return benchmark.startsWith("sluice");
    }

    static boolean isPeer(String benchmark) {
        return !isFloor(benchmark) && !isSluice(benchmark);
    }

    /** {@code sluiceTokenBucket} as a reader would write it. */
    static String words(String benchmark) {
        return benchmark
                .replaceAll("([A-Z])", " $1")
                .toLowerCase(java.util.Locale.ROOT)
                .replaceFirst("^floor ", "floor: ")
                .replace(" cas", " + cas")
                .replace(" read", " + read")
                .replace("map clock", "map + clock");
    }

    /** All cells, {@code rounds} times, into {@code results}. */
    static void run(List<Cell> cells, Effort effort, Path scratch, Progress progress, Results results) {
        List<Cell> order = new ArrayList<>(cells);
        for (int round = 0; round < effort.rounds(); round++) {
            for (Cell cell : order) {
                progress.step(cell.toString(), () -> {
                    Cost cost = fork(cell, effort, scratch);
                    results.add(cell, cost);
                    return "%.1f ns, %.0f B".formatted(cost.nanos().median(), cost.bytes());
                });
            }
            Collections.reverse(order);
        }
    }

    private static Cost fork(Cell cell, Effort effort, Path scratch) {
        ChainedOptionsBuilder options = options(cell, effort)
                .forks(1)
                .jvmArgs(jvmArgs(cell.group, scratch))
                .addProfiler(GCProfiler.class);
        return cost(run(cell, options));
    }

    private static String[] jvmArgs(Group group, Path scratch) {
        List<String> args = new ArrayList<>(group.heap());
        args.add("-XX:+AlwaysPreTouch");
        args.add("-Dcsp.sentinel.log.dir=" + scratch); // Sentinel writes logs, without being asked, in two places
        args.add("-DJM.LOG.PATH=" + scratch);
        return args.toArray(String[]::new);
    }

    /** A few milliseconds in this JVM: shows that the benchmark runs and takes the path it says. The time is worthless. */
    static void smoke(Cell cell) {
        ChainedOptionsBuilder options = options(cell, Effort.SMOKE).forks(0);
        RunResult unused = run(cell, options);
    }

    private static ChainedOptionsBuilder options(Cell cell, Effort effort) {
        return new OptionsBuilder()
                .include("^" + Pattern.quote(cell.group.benchmarks.getName() + "." + cell.benchmark) + "$")
                .mode(Mode.AverageTime)
                .timeUnit(TimeUnit.NANOSECONDS)
                .threads(cell.threads)
                .warmupIterations(effort.warmups)
                .warmupTime(TimeValue.milliseconds(effort.warmupMillis))
                .measurementIterations(effort.iterations)
                .measurementTime(TimeValue.milliseconds(effort.iterationMillis))
                .shouldFailOnError(true)
                .verbosity(VerboseMode.SILENT);
    }

    private static RunResult run(Cell cell, ChainedOptionsBuilder options) {
        try {
            return new Runner(options.build()).runSingle();
        } catch (RunnerException e) {
            throw new IllegalStateException(cell + " failed", e);
        }
    }

    private static Cost cost(RunResult result) {
        List<Double> nanos = new ArrayList<>();
        for (BenchmarkResult fork : result.getBenchmarkResults()) {
            for (IterationResult iteration : fork.getIterationResults()) {
                nanos.add(iteration.getPrimaryResult().getScore());
            }
        }
        // The name has had a dot before it in some versions of JMH.
        String allocation = result.getSecondaryResults().keySet().stream()
                .filter(name -> name.endsWith("gc.alloc.rate.norm"))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("JMH measured no allocation"));
        double bytes =
                requireNonNull(result.getSecondaryResults().get(allocation)).getScore();
        return new Cost(new Samples(nanos), bytes);
    }
}
