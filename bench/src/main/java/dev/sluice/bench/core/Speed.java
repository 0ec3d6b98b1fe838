package dev.sluice.bench.core;

import dev.sluice.bench.report.Jmh;
import dev.sluice.bench.report.Options;
import dev.sluice.bench.report.Progress;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.openjdk.jmh.annotations.Benchmark;

/** Runs the benchmarks of the core, round by round. */
final class Speed {
    /** One benchmark at one number of threads. */
    record Cell(Group group, String benchmark, int threads) {
        Jmh jmh() {
            return new Jmh(group.benchmarks, benchmark, threads, Map.of());
        }

        @Override
        public String toString() {
            return group.label + " " + words(benchmark) + ", " + threads + (threads == 1 ? " thread" : " threads");
        }
    }

    private static final Jmh.Effort SHORT = new Jmh.Effort(1, 2, 300, 3, 200);
    private static final Jmh.Effort FULL = new Jmh.Effort(5, 2, 500, 3, 500);

    private Speed() {}

    static Jmh.Effort effort(Options options) {
        return options.full() ? FULL : SHORT;
    }

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
    static void run(List<Cell> cells, Jmh.Effort effort, Path scratch, Progress progress, Results results) {
        List<Cell> order = new ArrayList<>(cells);
        for (int round = 0; round < effort.rounds(); round++) {
            for (Cell cell : order) {
                progress.step(cell.toString(), () -> {
                    Jmh.Cost cost = cell.jmh().fork(effort, jvmArgs(cell.group, scratch));
                    results.add(cell, cost);
                    return "%.1f ns, %.0f B".formatted(cost.nanos().median(), cost.bytes());
                });
            }
            Collections.reverse(order);
        }
    }

    private static List<String> jvmArgs(Group group, Path scratch) {
        List<String> args = new ArrayList<>(group.heap());
        args.add("-XX:+AlwaysPreTouch");
        args.add("-Dcsp.sentinel.log.dir=" + scratch); // Sentinel writes logs, without being asked, in two places
        args.add("-DJM.LOG.PATH=" + scratch);
        return args;
    }

    /** A moment in this JVM. */
    static void smoke(Cell cell) {
        cell.jmh().smoke();
    }
}
