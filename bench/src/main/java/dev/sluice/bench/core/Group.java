package dev.sluice.bench.core;

import java.util.List;
import java.util.stream.IntStream;

/** Benchmarks that answer one question, and so make one table. */
enum Group {
    ALLOWED("allowed", "One hot limiter, every call allowed", Allowed.class, 2, "floorClockCas", 1),
    DENIED("denied", "One exhausted limiter, every call denied", Denied.class, 2, "floorClockRead", 1),
    KEYED("keyed", "1,000,000 keys in random order, every call allowed", Keyed.class, 1, "floorMapClockCas", 4);

    final String label;
    final String title;
    final Class<?> benchmarks;
    /** The benchmark that the others are compared with. */
    final String floor;

    private final int maxThreads;
    private final int heapGigabytes;

    Group(String label, String title, Class<?> benchmarks, int maxThreads, String floor, int heapGigabytes) {
        this.label = label;
        this.title = title;
        this.benchmarks = benchmarks;
        this.maxThreads = maxThreads;
        this.floor = floor;
        this.heapGigabytes = heapGigabytes;
    }

    /** The numbers of threads it is run with. */
    List<Integer> threads() {
        return IntStream.rangeClosed(1, maxThreads).boxed().toList();
    }

    /** A heap of fixed size, so that no fork pays for growing it. */
    List<String> heap() {
        return List.of("-Xms" + heapGigabytes + "g", "-Xmx" + heapGigabytes + "g");
    }
}
