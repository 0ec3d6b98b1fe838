package dev.sluice.bench.chaos;

import java.util.concurrent.TimeUnit;

/** The permits that Redis no longer knows after a fault, and may grant again: the bound on what it over-admits. */
enum Forgets {
    NOTHING("nothing is forgotten"),
    EVERYTHING("all that was granted before is forgotten and may be granted again"),
    /** A second is the lag at which Redis itself begins to call a replica late. */
    LAST_SECOND("what was granted in the last second before may not have reached the replica");

    final String why;

    Forgets(String why) {
        this.why = why;
    }

    /**
     * Whether what was granted by a call may be forgotten.
     *
     * @param beginsNanos when the fault was about to happen
     * @param begunNanos when it had happened: calls that were granted in between may be forgotten too
     */
    boolean concerns(Call call, long beginsNanos, long begunNanos) {
        boolean isBefore = call.beganNanos() - begunNanos <= 0;
        return switch (this) {
            case NOTHING -> false;
            case EVERYTHING -> isBefore;
            case LAST_SECOND -> isBefore && call.endedNanos() - beginsNanos >= -TimeUnit.SECONDS.toNanos(1);
        };
    }
}
