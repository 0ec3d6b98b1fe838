package dev.sluice.bench.report;

import static java.util.Objects.requireNonNull;

import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * One benchmark of JMH.
 *
 * <p>Why not JMH's own order: it runs all forks of one benchmark, then all of the next, minutes later, when the machine
 * may have become another one (frequency, neighbours, temperature). {@link Steps} run one short fork of every benchmark
 * in each round.
 *
 * @param benchmarks the class, whose method is {@code name}
 * @param parameters by the names of its fields
 */
public record Jmh(Class<?> benchmarks, String name, int threads, Map<String, String> parameters) {
    /** What is measured of a call. */
    public enum Figure {
        NANOS,
        BYTES
    }

    /** How long a fork lasts. */
    public record Timing(int warmups, int warmupMillis, int iterations, int iterationMillis) {
        private static final Timing SMOKE = new Timing(0, 1, 1, 5);
    }

    /**
     * Runs it in a JVM of its own and adds what it measured.
     *
     * @param format shows the nanoseconds and bytes of a call
     */
    public String fork(Timing timing, List<String> jvmArgs, Measurements figures, Object row, String format) {
        RunResult result = run(
                options(timing).forks(1).jvmArgs(jvmArgs.toArray(String[]::new)).addProfiler(GCProfiler.class));
        Samples nanos = new Samples(result.getBenchmarkResults().stream()
                .flatMap(fork -> fork.getIterationResults().stream())
                .map(iteration -> iteration.getPrimaryResult().getScore())
                .toList());
        // The name has had a dot before it in some versions of JMH.
        String allocation = result.getSecondaryResults().keySet().stream()
                .filter(name -> name.endsWith("gc.alloc.rate.norm"))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("JMH measured no allocation"));
        double bytes =
                requireNonNull(result.getSecondaryResults().get(allocation)).getScore();
        nanos.sorted().forEach(value -> figures.add(row, Figure.NANOS, value));
        figures.add(row, Figure.BYTES, bytes);
        return format.formatted(nanos.median(), bytes);
    }

    /** Runs it for a few milliseconds in this JVM, which shows that it takes the path it says. */
    public String smoke() {
        System.setProperty("jmh.ignoreLock", "true"); // nothing is measured, so that another run does no harm
        return run(options(Timing.SMOKE).forks(0)).toString();
    }

    private ChainedOptionsBuilder options(Timing timing) {
        ChainedOptionsBuilder options = new OptionsBuilder()
                .include("^" + Pattern.quote(benchmarks.getName() + "." + name) + "$")
                .mode(Mode.AverageTime)
                .timeUnit(TimeUnit.NANOSECONDS)
                .threads(threads)
                .warmupIterations(timing.warmups)
                .warmupTime(TimeValue.milliseconds(timing.warmupMillis))
                .measurementIterations(timing.iterations)
                .measurementTime(TimeValue.milliseconds(timing.iterationMillis))
                .shouldFailOnError(true)
                .verbosity(VerboseMode.SILENT);
        parameters.forEach(options::param);
        return options;
    }

    private static RunResult run(ChainedOptionsBuilder options) {
        try {
            return new Runner(options.build()).runSingle();
        } catch (RunnerException e) {
            throw new IllegalStateException(e);
        }
    }
}
