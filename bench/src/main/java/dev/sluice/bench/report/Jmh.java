package dev.sluice.bench.report;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
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
 * Runs one benchmark of JMH once.
 *
 * <p>Why not JMH's own order: it runs all forks of one benchmark, then all of the next, minutes later, when the machine
 * may have become another one (frequency, neighbours, temperature). Here a round is one short fork of every benchmark,
 * and every other round goes backwards, so that a slow drift falls on all of them alike and the <em>ratios</em> stand.
 *
 * @param benchmarks the class, whose method is {@code name}
 * @param parameters by the names of its fields
 */
public record Jmh(Class<?> benchmarks, String name, int threads, Map<String, String> parameters) {
    /** What a call cost. */
    public record Cost(Samples nanos, double bytes) {
        public Cost with(Cost more) {
            return new Cost(nanos.with(more.nanos), Math.max(bytes, more.bytes));
        }
    }

    /** How long a fork lasts, and how many there are of each. */
    public record Effort(int rounds, int warmups, int warmupMillis, int iterations, int iterationMillis) {
        private static final Effort SMOKE = new Effort(1, 0, 1, 1, 5);
    }

    /** In a JVM of its own. */
    public Cost fork(Effort effort, List<String> jvmArgs) {
        return cost(run(
                options(effort).forks(1).jvmArgs(jvmArgs.toArray(String[]::new)).addProfiler(GCProfiler.class)));
    }

    /** A few milliseconds in this JVM: shows that the benchmark runs and takes the path it says. The time is worthless. */
    public void smoke() {
        RunResult unused = run(options(Effort.SMOKE).forks(0));
    }

    private ChainedOptionsBuilder options(Effort effort) {
        ChainedOptionsBuilder options = new OptionsBuilder()
                .include("^" + Pattern.quote(benchmarks.getName() + "." + name) + "$")
                .mode(Mode.AverageTime)
                .timeUnit(TimeUnit.NANOSECONDS)
                .threads(threads)
                .warmupIterations(effort.warmups)
                .warmupTime(TimeValue.milliseconds(effort.warmupMillis))
                .measurementIterations(effort.iterations)
                .measurementTime(TimeValue.milliseconds(effort.iterationMillis))
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
