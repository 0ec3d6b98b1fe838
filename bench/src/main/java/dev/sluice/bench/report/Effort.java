package dev.sluice.bench.report;

/** How long a run may take. */
public enum Effort {
    /** A moment of everything, to see that it still takes the path it says. The figures are worthless. */
    SMOKE,
    SHORT,
    FULL;

    /** The value for this effort. */
    public int pick(int smoke, int shortRun, int full) {
        return switch (this) {
            case SMOKE -> smoke;
            case SHORT -> shortRun;
            case FULL -> full;
        };
    }
}
