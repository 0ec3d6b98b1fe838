package dev.sluice.bench.chaos;

import java.util.concurrent.TimeUnit;

/** What a Redis no longer knows after a fault, and may so grant again: the bound on what it over-admits. */
enum Forgets {
    NOTHING("nothing is forgotten"),
    EVERYTHING("all that was granted before is forgotten and may be granted again"),
    /** A second is the lag at which Redis itself begins to call a replica late. */
    LAST_SECOND("what was granted in the last second before may not have reached the replica");

    final String why;

    Forgets(String why) {
        this.why = why;
    }

    /** Whether what was granted by a call may be forgotten in a fault that began then. */
    boolean concerns(Call call, long faultNanos) {
        return switch (this) {
            case NOTHING -> false;
            case EVERYTHING -> call.beganNanos() - faultNanos <= 0;
            case LAST_SECOND ->
                call.beganNanos() - faultNanos <= 0 && call.endedNanos() - faultNanos >= -TimeUnit.SECONDS.toNanos(1);
        };
    }
}
