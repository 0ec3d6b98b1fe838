package dev.sluice.rules;

import dev.sluice.Decision;
import dev.sluice.Limiter;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

/** The place of a request among those of its key that are under way; see {@link UnderWay}. */
public final class Place {
    private final Limiter limiter;
    private final String key;
    private final Decision held;
    private final AtomicBoolean free = new AtomicBoolean();

    /** The place that {@code held} takes in a limiter of requests under way. */
    public Place(Limiter limiter, String key, Decision held) {
        this.limiter = limiter;
        this.key = key;
        this.held = held;
    }

    /** Frees the place. Only the first call does anything. */
    public CompletableFuture<?> release() {
        return free.compareAndSet(false, true)
                ? limiter.releaseAsync(key, held)
                : CompletableFuture.completedFuture(null);
    }
}
