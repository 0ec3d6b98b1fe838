package dev.sluice.redis.combine;

/**
 * When the requests that gather on an event loop are to be sent: once the loop has read all that has arrived.
 *
 * <p>Why: an event loop reads one connection after another, and whatever it reads in the same turn can share a script. Its
 * peers on the same machine, such as Redis, need the processor too, and those that get it ask meanwhile. So, before it sends
 * several requests, the loop lets other threads run once. A lone request waits for nobody but those whose requests the loop
 * can read at once.
 */
final class Gathering {
    /** What the loop does next. */
    enum Step {
        /** It looks once more in its next turn. */
        READ,
        /** The same, after it has let other threads run. */
        YIELD,
        SEND
    }

    private int seen;
    private boolean hasYielded;

    /** The next step when so many requests wait. */
    Step next(int waiting) {
        if (waiting > seen) {
            seen = waiting;
            return Step.READ;
        }
        if (waiting > 1 && !hasYielded) {
            hasYielded = true;
            return Step.YIELD;
        }
        return Step.SEND;
    }

    /** They are sent: the next ones begin anew. */
    void end() {
        seen = 0;
        hasYielded = false;
    }
}
