package dev.sluice.bench.redis;

import dev.sluice.bench.report.Samples;
import dev.sluice.bench.report.Target;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What Sluice promises of its limiters on Redis, and whether this run bears it out. */
final class RedisTargets {
    private final Figures figures;
    private final List<Target> targets = new ArrayList<>();

    private RedisTargets(Figures figures) {
        this.figures = figures;
    }

    static List<Target> of(Figures figures) {
        RedisTargets targets = new RedisTargets(figures);
        targets.oneWord();
        targets.log();
        targets.bytesPerKey();
        targets.shortcuts();
        return targets.targets;
    }

    private void oneWord() {
        for (Row row : Row.of(Row.Kind.ONE_WORD)) {
            atLeast(
                    row.label + ", 256 in flight: at least 0.75 x the floor",
                    figures.timesFloor(figures.median(row, Load.IN_FLIGHT)),
                    0.75);
        }
        for (Row row : Row.of(Row.Kind.ONE_WORD)) {
            atMost(
                    row.label + ": Redis time at most 0.5 x the gateway-style script's",
                    Figures.ratio(
                            figures.median(row, Figures.What.REDIS_MICROS),
                            figures.median(Row.GATEWAY, Figures.What.REDIS_MICROS)),
                    0.5);
        }
        for (Load load : Load.values()) {
            for (Row row : Row.of(Row.Kind.ONE_WORD)) {
                ahead(row, load, Row.of(Row.Kind.PEER), "every peer");
            }
        }
        ahead(Row.JEDIS_TOKEN_BUCKET, Load.THREADS, List.of(Row.BUCKET4J_JEDIS), "Bucket4j on Jedis");
    }

    private void log() {
        for (Load load : Load.values()) {
            ahead(Row.SLIDING_LOG, load, List.of(Row.SORTED_SET), "the sorted set");
        }
        atMostBytes("a log of 10,000 permits", Figures.What.BYTES_PER_PERMIT_OF_LARGE_LOG, 10);
        atMostBytes("a log of 100 permits", Figures.What.BYTES_PER_PERMIT_OF_SMALL_LOG, 12);
    }

    private void bytesPerKey() {
        for (Row row : Row.of(Row.Kind.ONE_WORD)) {
            atMost(
                    row.label + ": at most 1.4 x the bytes of a plain counter",
                    Figures.ratio(
                            figures.median(row, Figures.What.BYTES_PER_KEY),
                            figures.median(row, Figures.What.PLAIN_BYTES_PER_KEY)),
                    1.4);
        }
    }

    private void shortcuts() {
        atLeastTimesFloor(Shortcut.DENIED, 100);
        atLeastTimesFloor(Shortcut.LEASED, 50);
        atLeastTimesFloor(Shortcut.DEAD, 10);
        long most = 2 * Shortcuts.TIMEOUT.toMillis();
        for (Shortcut shortcut : List.of(Shortcut.DEAD, Shortcut.FROZEN)) {
            Optional<Double> longest =
                    figures.samples(shortcut, Figures.What.LONGEST_MILLIS).map(Samples::max);
            judge(
                    shortcut.label + ": no call over " + most + " ms, twice the timeout",
                    longest.map("%.1f ms"::formatted),
                    longest.map(millis -> millis <= most));
        }
    }

    private void atLeastTimesFloor(Shortcut shortcut, int times) {
        Optional<Double> ratio = figures.timesFloor(figures.median(shortcut, Figures.What.PER_SECOND));
        judge(
                shortcut.label + ": at least " + times + " x the floor",
                ratio.map("%.0f x"::formatted),
                ratio.map(measured -> measured >= times));
    }

    private void ahead(Row row, Load load, List<Row> others, String whom) {
        Optional<Double> ours = figures.median(row, load);
        Optional<Double> best = others.stream()
                .flatMap(other -> figures.median(other, load).stream())
                .max(Double::compare);
        judge(
                row.label + ", " + load.label + ": ahead of " + whom,
                ours.flatMap(us -> best.map(them -> "%,.0f, the best %,.0f".formatted(us, them))),
                ours.flatMap(us -> best.map(them -> us > them)));
    }

    private void atMostBytes(String what, Figures.What figure, int most) {
        Optional<Double> bytes = figures.median(Row.SLIDING_LOG, figure);
        judge(
                what + ": at most " + most + " bytes per permit",
                bytes.map("%.1f"::formatted),
                bytes.map(measured -> measured <= most));
    }

    private void atLeast(String promise, Optional<Double> ratio, double least) {
        judge(promise, ratio.map("%.2f x"::formatted), ratio.map(measured -> measured >= least));
    }

    private void atMost(String promise, Optional<Double> ratio, double most) {
        judge(promise, ratio.map("%.2f x"::formatted), ratio.map(measured -> measured <= most));
    }

    private void judge(String promise, Optional<String> measured, Optional<Boolean> kept) {
        targets.add(Target.of(promise, measured, kept));
    }
}
