package dev.sluice.bench.report;

import java.util.Optional;
import java.util.function.BiPredicate;

/** A figure that Sluice promises, and whether this run bears it out. */
public record Target(String promise, String measured, Verdict verdict) {
    /** Whether a promise is kept. */
    public enum Verdict {
        HOLDS("holds"),
        MISSES("misses"),
        UNKNOWN("not measured");

        public final String word;

        Verdict(String word) {
            this.word = word;
        }
    }

    public static Target atMost(String promise, String format, Optional<Double> figure, double bound) {
        return of(promise, format, figure, Optional.of(bound), (value, most) -> value <= most);
    }

    public static Target atLeast(String promise, String format, Optional<Double> figure, double bound) {
        return of(promise, format, figure, Optional.of(bound), (value, least) -> value >= least);
    }

    /** {@code format} shows the figure and may show what it must be less than. */
    public static Target lessThan(String promise, String format, Optional<Double> figure, Optional<Double> other) {
        return of(promise, format, figure, other, (value, more) -> value < more);
    }

    /** {@code format} shows the figure and may show what it must be more than. */
    public static Target moreThan(String promise, String format, Optional<Double> figure, Optional<Double> other) {
        return of(promise, format, figure, other, (value, less) -> value > less);
    }

    private static Target of(
            String promise,
            String format,
            Optional<Double> figure,
            Optional<Double> other,
            BiPredicate<Double, Double> isKept) {
        return figure.flatMap(value -> other.map(bound -> new Target(
                        promise,
                        format.formatted(value, bound),
                        isKept.test(value, bound) ? Verdict.HOLDS : Verdict.MISSES)))
                .orElseGet(() -> new Target(promise, "", Verdict.UNKNOWN));
    }
}
