package dev.sluice.contract;

import dev.sluice.Limit;
import java.util.ArrayList;
import java.util.List;

/**
 * What happens to a limiter.
 *
 * @param startMicros what the clock says before the first step
 * @param seed decides what a law tries on top of the steps
 */
record Trace(List<Limit> limits, long startMicros, List<Step> steps, long seed) {
    Trace steps(List<Step> other) {
        return new Trace(limits, startMicros, List.copyOf(other), seed);
    }

    Trace start(long micros) {
        return new Trace(limits, micros, steps, seed);
    }

    Trace with(int index, Step step) {
        List<Step> changed = new ArrayList<>(steps);
        changed.set(index, step);
        return steps(changed);
    }

    /** Without the steps from {@code from} to before {@code to}, whose time passes nevertheless. */
    Trace without(int from, int to) {
        List<Step> rest = new ArrayList<>(steps);
        long gap = 0;
        for (Step gone : rest.subList(from, to)) {
            gap += gone.gapMicros();
        }
        rest.subList(from, to).clear();
        if (from < rest.size()) {
            Step next = rest.get(from);
            rest.set(from, next.gap(next.gapMicros() + gap));
        }
        return steps(rest);
    }
}
