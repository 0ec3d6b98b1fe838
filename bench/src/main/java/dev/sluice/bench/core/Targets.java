package dev.sluice.bench.core;

import dev.sluice.bench.report.Jmh;
import dev.sluice.bench.report.Target;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;

/** What Sluice promises of itself, and whether this run bears it out. */
final class Targets {
    private static final List<String> ONE_WORD = List.of("sluiceFixedWindow", "sluiceTokenBucket", "sluiceLeakyBucket");
    private static final List<String> SLIDING = List.of("sluiceSlidingWindow", "sluiceSlidingLog");
    private static final List<String> ALL = List.of(
            "sluiceFixedWindow", "sluiceTokenBucket", "sluiceLeakyBucket", "sluiceSlidingWindow", "sluiceSlidingLog");
    private static final List<String> KEYED = List.of("sluiceFixedWindow", "sluiceTokenBucket");

    private final Results results;
    private final List<Target> targets = new ArrayList<>();

    private Targets(Results results) {
        this.results = results;
    }

    static List<Target> of(Results results) {
        Targets targets = new Targets(results);
        targets.allowed();
        targets.denied();
        targets.sliding();
        targets.keyed();
        targets.memory();
        return targets.targets;
    }

    private void allowed() {
        for (String benchmark : ONE_WORD) {
            for (int threads : Group.ALLOWED.threads()) {
                nearFloor(Group.ALLOWED, benchmark, threads, 1.15);
                aheadOfPeers(Group.ALLOWED, benchmark, threads);
            }
            allocatesNothing(Group.ALLOWED, benchmark);
        }
    }

    private void denied() {
        for (String benchmark : ALL) {
            for (int threads : Group.DENIED.threads()) {
                nearFloor(Group.DENIED, benchmark, threads, 1.15);
            }
            Optional<Double> one = results.nanos(Group.DENIED, benchmark, 1);
            Optional<Double> two = results.nanos(Group.DENIED, benchmark, 2);
            Optional<Double> speedUp = one.flatMap(alone -> two.map(both -> 2 * alone / both));
            judge(
                    "denied " + Speed.words(benchmark) + ": 2 threads do at least 1.8 x the work of 1",
                    speedUp.map(factor -> "%.2f x".formatted(factor)),
                    speedUp.map(factor -> factor >= 1.8));
        }
    }

    private void sliding() {
        for (String benchmark : SLIDING) {
            nearFloor(Group.ALLOWED, benchmark, 1, 1.5);
            aheadOfPeers(Group.ALLOWED, benchmark, 2);
        }
    }

    private void keyed() {
        for (String benchmark : KEYED) {
            nearFloor(Group.KEYED, benchmark, 1, 1.15);
        }
    }

    private void memory() {
        atMostBytes("retained per key, sluice fixed window", MemoryProbe.KEYS_FIXED_WINDOW, 80);
        atMostBytes("retained per key, sluice token bucket", MemoryProbe.KEYS_TOKEN_BUCKET, 80);
        atMostBytes("a sliding log of 1,000", MemoryProbe.LOG_SLUICE, 9000);
        Optional<Long> empty = results.figure(MemoryProbe.IDLE_TOKEN_BUCKET, MemoryProbe.EMPTY);
        Optional<Long> after = results.figure(MemoryProbe.IDLE_TOKEN_BUCKET, MemoryProbe.AFTER);
        Optional<Double> ratio = empty.flatMap(was -> after.map(is -> (double) is / was));
        judge(
                "ten million one-off keys gone idle: heap back to at most 1.05 x empty",
                ratio.map(times -> "%.2f x".formatted(times)),
                ratio.map(times -> times <= 1.05));
    }

    private void nearFloor(Group group, String benchmark, int threads, double atMost) {
        Optional<Double> ratio = results.ratio(group, benchmark, threads);
        judge(
                "%s: at most %s x the floor".formatted(new Speed.Cell(group, benchmark, threads), atMost),
                ratio.map(times -> "%.2f x".formatted(times)),
                ratio.map(times -> times <= atMost));
    }

    private void aheadOfPeers(Group group, String benchmark, int threads) {
        Optional<Double> nanos = results.nanos(group, benchmark, threads);
        OptionalDouble best = results.benchmarks(group).stream()
                .filter(Speed::isPeer)
                .flatMap(peer -> results.nanos(group, peer, threads).stream())
                .mapToDouble(Double::doubleValue)
                .min();
        judge(
                new Speed.Cell(group, benchmark, threads) + ": ahead of every peer",
                best.isEmpty()
                        ? Optional.empty()
                        : nanos.map(ours -> "%.1f ns, the best peer %.1f".formatted(ours, best.getAsDouble())),
                best.isEmpty() ? Optional.empty() : nanos.map(ours -> ours < best.getAsDouble()));
    }

    private void allocatesNothing(Group group, String benchmark) {
        OptionalDouble most = group.threads().stream()
                .flatMap(threads -> results.cost(group, benchmark, threads).stream())
                .mapToDouble(Jmh.Cost::bytes)
                .max();
        Optional<Double> bytes = most.isPresent() ? Optional.of(most.getAsDouble()) : Optional.empty();
        judge(
                group.label + " " + Speed.words(benchmark) + ": allocates nothing",
                bytes.map(count -> "%.1f B".formatted(count)),
                bytes.map(count -> count < 0.5)); // a fork's own start-up leaves some thousandths per call
    }

    private void atMostBytes(String what, MemoryProbe probe, long atMost) {
        Optional<Long> bytes = results.figure(probe, MemoryProbe.BYTES);
        judge(
                String.format(Locale.ROOT, "%s: at most %,d bytes", what, atMost),
                bytes.map(count -> String.format(Locale.ROOT, "%,d", count)),
                bytes.map(count -> count <= atMost));
    }

    private void judge(String promise, Optional<String> measured, Optional<Boolean> kept) {
        targets.add(Target.of(promise, measured, kept));
    }
}
