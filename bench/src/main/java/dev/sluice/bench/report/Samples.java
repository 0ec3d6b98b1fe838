package dev.sluice.bench.report;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** The measurements of one figure, smallest first. Never empty. */
public record Samples(List<Double> sorted) {
    public Samples {
        if (sorted.isEmpty()) {
            throw new IllegalArgumentException("no samples");
        }
        sorted = sorted.stream().sorted().toList();
    }

    public static Samples of(double... values) {
        return new Samples(Arrays.stream(values).boxed().toList());
    }

    public Samples with(Samples more) {
        return new Samples(Stream.concat(sorted.stream(), more.sorted.stream()).toList());
    }

    public double median() {
        int size = sorted.size();
        return (sorted.get((size - 1) / 2) + sorted.get(size / 2)) / 2;
    }

    public double min() {
        return sorted.get(0);
    }

    public double max() {
        return sorted.get(sorted.size() - 1);
    }
}
