package dev.sluice.contract;

import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.LongAdder;

/** Counts what was really run. */
final class Tally {
    private final Set<String> laws = new ConcurrentSkipListSet<>();
    private final Set<LimitFamily> families = new ConcurrentSkipListSet<>();
    private final LongAdder traces = new LongAdder();
    private final LongAdder steps = new LongAdder();
    private final LongAdder failures = new LongAdder();

    void ran(String law, LimitFamily family) {
        laws.add(law);
        families.add(family);
    }

    void trace() {
        traces.increment();
    }

    void step() {
        steps.increment();
    }

    void failure() {
        failures.increment();
    }

    String line(String subject) {
        return "contract of %s: %d laws x %d limits = %,d traces, %,d steps, %d failures"
                .formatted(subject, laws.size(), families.size(), traces.sum(), steps.sum(), failures.sum());
    }
}
