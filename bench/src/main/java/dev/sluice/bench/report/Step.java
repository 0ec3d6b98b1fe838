package dev.sluice.bench.report;

import java.util.function.Supplier;

/** One thing to do in a run. */
public record Step(String label, Supplier<String> work) {
    /** Whatever fails is told of with its name. */
    public void run(Progress progress) {
        progress.step(label, () -> {
            try {
                return work.get();
            } catch (RuntimeException | LinkageError e) {
                throw new IllegalStateException(label + " failed", e);
            }
        });
    }

    /** The same without its figures. */
    public Step silent() {
        return new Step(label, () -> {
            String unused = work.get();
            return "as it says";
        });
    }
}
