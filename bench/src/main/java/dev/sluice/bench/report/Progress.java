package dev.sluice.bench.report;

import java.io.PrintStream;
import java.time.Duration;
import java.util.function.Supplier;

/** Says where a long run is. A step that fails is told of and left out: the others are still worth having. */
public final class Progress {
    private final PrintStream out;
    private final int steps;
    private final long startNanos = System.nanoTime();
    private int step;
    private int failures;

    public Progress(PrintStream out, int steps) {
        this.out = out;
        this.steps = steps;
    }

    /** Runs a step, which returns its result in a few words. */
    public void step(String what, Supplier<String> work) {
        step++;
        Duration elapsed = Duration.ofNanos(System.nanoTime() - startNanos);
        out.printf("[%d of %d, %d:%02d] %s: ", step, steps, elapsed.toMinutes(), elapsed.toSecondsPart(), what);
        out.flush();
        try {
            out.println(work.get());
        } catch (IllegalStateException e) {
            failures++;
            out.println("FAILED");
            e.printStackTrace(out);
        }
    }

    /** At the end, once what could be had has been told. */
    public void requireNoFailures() {
        if (failures > 0) {
            throw new IllegalStateException(failures + " of " + steps + " failed; see above");
        }
    }
}
