package dev.sluice.bench;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** Measurements of one thing, in the order of size. Never empty. */
record Samples(List<Double> sorted) {
    Samples {
        if (sorted.isEmpty()) {
            throw new IllegalArgumentException("no samples");
        }
        sorted = sorted.stream().sorted().toList();
    }

    static Samples of(double... values) {
        return new Samples(Arrays.stream(values).boxed().toList());
    }

    Samples with(Samples more) {
        return new Samples(Stream.concat(sorted.stream(), more.sorted.stream()).toList());
    }

    double median() {
        int size = sorted.size();
        return (sorted.get((size - 1) / 2) + sorted.get(size / 2)) / 2;
    }

    double min() {
        return sorted.get(0);
    }

    double max() {
        return sorted.get(sorted.size() - 1);
    }
}
