package dev.sluice.bench;

import java.io.PrintStream;
import java.time.Duration;

/** Says where a long run is. */
final class Progress {
    private final PrintStream out;
    private final int steps;
    private final long startNanos = System.nanoTime();
    private int step;

    Progress(PrintStream out, int steps) {
        this.out = out;
        this.steps = steps;
    }

    void begin(String what) {
        step++;
        Duration elapsed = Duration.ofNanos(System.nanoTime() - startNanos);
        out.printf("[%d of %d, %d:%02d] %s: ", step, steps, elapsed.toMinutes(), elapsed.toSecondsPart(), what);
        out.flush();
    }

    void end(String result) {
        out.println(result);
    }
}
