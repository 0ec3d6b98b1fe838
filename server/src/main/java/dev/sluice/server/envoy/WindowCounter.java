package dev.sluice.server.envoy;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.OnFailure;
import dev.sluice.Store;
import java.util.concurrent.CompletableFuture;

/**
 * Counts hits in windows of one unit, as envoyproxy/ratelimit does: hits past the limit count too, so that whoever is
 * over stays over until the window ends.
 *
 * <p>Why there is room for one more than the limit: a limiter gives what it has and takes nothing when it denies. With
 * that one more taken the count is past the limit, and that is all that needs to be known: from there on the limiter
 * denies by itself, without a write and, on Redis, without a round trip.
 *
 * <pre>
 *   limit 3:   0  1  2  3 | 4
 *             within      | over, and full
 * </pre>
 */
final class WindowCounter {
    private static final int MOST_TRIES = 8;

    private final Limiter limiter;
    private final long capacity;

    private WindowCounter(Limiter limiter, long capacity) {
        this.limiter = limiter;
        this.capacity = capacity;
    }

    /** A counter that tells the numbers up to {@code limit} apart from all that are more. */
    static WindowCounter upTo(long limit, Unit unit, String name, Store store, OnFailure onFailure) {
        long capacity = limit + 1;
        Limit window = Limit.fixedWindow(capacity, unit.period()).aligned();
        return new WindowCounter(store.limiter(name, onFailure, window), capacity);
    }

    /** A counter that tells all numbers apart. */
    static WindowCounter unbounded(Unit unit, String name, Store store, OnFailure onFailure) {
        return upTo(Limit.MAX_PERMITS - 1, unit, name, store, onFailure);
    }

    /**
     * How a window stands.
     *
     * @param used the hits counted in it
     * @param endsInMicros microseconds until it ends; 0 when nothing was counted in it
     */
    record Standing(long used, long endsInMicros) {}

    /** Counts {@code hits}; none only asks. */
    CompletableFuture<Standing> count(String key, long hits) {
        return hits == 0
                ? limiter.peekAsync(key, 0).thenApply(this::standing)
                : take(key, Math.min(hits, capacity), MOST_TRIES);
    }

    /** Takes the hits, or else all that is left. */
    private CompletableFuture<Standing> take(String key, long hits, int tries) {
        return limiter.decideAsync(key, hits)
                .thenCompose(decision -> decision.allowed() || decision.remaining() == 0 || tries == 0
                        ? CompletableFuture.completedFuture(standing(decision))
                        : take(key, decision.remaining(), tries - 1));
    }

    private Standing standing(Decision decision) {
        long used = decision.allowed() ? capacity - decision.remaining() : capacity;
        return new Standing(used, decision.resetAfterMicros());
    }
}
