package dev.sluice.redis.wait;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.TimeUnit;

/** The waits on all limiters of a store, which end with it. A limiter that nobody uses any more is forgotten. */
public final class OpenWaits {
    private final long timeoutMicros;
    private final Set<WaitQueues> all = Collections.newSetFromMap(new WeakHashMap<>());
    private boolean closed;

    /** Waits on a store whose calls end within twice {@code timeout}. */
    public OpenWaits(Duration timeout) {
        this.timeoutMicros = TimeUnit.MICROSECONDS.convert(timeout);
    }

    /** How long a call waits for a reply. */
    public long timeoutMicros() {
        return timeoutMicros;
    }

    /** How long after its deadline a waiter may still be under way. */
    public long graceMicros() {
        return 2 * timeoutMicros;
    }

    public void add(WaitQueues queues) {
        boolean late;
        synchronized (all) {
            all.add(queues);
            late = closed;
        }
        if (late) {
            queues.close();
        }
    }

    /** Ends all waits, and those of limiters that are added later. */
    public void close() {
        List<WaitQueues> open;
        synchronized (all) {
            closed = true;
            open = new ArrayList<>(all);
        }
        open.forEach(WaitQueues::close);
    }
}
