package dev.sluice.server.envoy;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.OnFailure;
import dev.sluice.Store;
import dev.sluice.server.envoy.file.EnvoyUnit;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Counts hits in windows of one unit, aligned to 1970, as envoyproxy/ratelimit does: hits past the limit count too, so
 * that a client that is over the limit stays over it until the window ends.
 *
 * <p>Why its limiter has room for one more than the limit: a limiter takes nothing when it denies. Once that one more is
 * taken, the count is past the limit, and nothing else needs to be known: from there on the limiter denies by itself,
 * without a write and, on Redis, without a round trip.
 *
 * <pre>
 *   limit 3:   0  1  2  3 | 4
 *             within      | over, and full
 * </pre>
 */
final class WindowCounter {
    private static final int MAX_TRIES = 8;

    private final Limiter limiter;
    private final long capacity;
    private final long unitMicros;
    private final LongSupplier wallMicros;

    private WindowCounter(Limiter limiter, long capacity, long unitMicros, LongSupplier wallMicros) {
        this.limiter = limiter;
        this.capacity = capacity;
        this.unitMicros = unitMicros;
        this.wallMicros = wallMicros;
    }

    /**
     * Makes counters on one store.
     *
     * @param wallMicros the time since 1970
     */
    record Factory(Store store, OnFailure onFailure, LongSupplier wallMicros) {
        Factory(Store store, OnFailure onFailure) {
            this(store, onFailure, () -> TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis()));
        }

        /** A counter that is exact up to {@code limit}; beyond it, it knows only that the limit is exceeded. */
        WindowCounter upTo(long limit, EnvoyUnit unit, String name) {
            long capacity = limit + 1;
            Limit window = Limit.fixedWindow(capacity, unit.period()).aligned();
            return new WindowCounter(store.limiter(name, onFailure, window), capacity, unit.micros(), wallMicros);
        }

        /** A counter that is always exact. */
        WindowCounter unbounded(EnvoyUnit unit, String name) {
            return upTo(Limit.MAX_PERMITS - 1, unit, name);
        }
    }

    /**
     * The state of a window.
     *
     * @param hits the hits counted in it
     * @param before the hits counted in it before those of this call
     * @param endsInMicros microseconds until it ends
     * @param source which part counted them
     * @param uncount takes the hits of this call back
     */
    record Usage(long hits, long before, long endsInMicros, Decision.Source source, Runnable uncount) {}

    /** Counts {@code hits}; 0 only looks. */
    CompletableFuture<Usage> count(String key, long hits) {
        return hits == 0
                ? limiter.peekAsync(key, 0).thenApply(seen -> usage(seen, () -> {}))
                : take(key, Math.min(hits, capacity), MAX_TRIES);
    }

    /** Takes the hits, or else all that is left. */
    private CompletableFuture<Usage> take(String key, long hits, int tries) {
        return limiter.decideAsync(key, hits)
                .thenCompose(decision -> decision.allowed() || decision.remaining() == 0 || tries == 0
                        ? CompletableFuture.completedFuture(usage(decision, () -> limiter.refundAsync(key, decision)))
                        : take(key, decision.remaining(), tries - 1));
    }

    private Usage usage(Decision decision, Runnable uncount) {
        long hits = decision.allowed() ? capacity - decision.remaining() : capacity;
        long before = decision.allowed() ? Math.max(0, hits - decision.permits()) : capacity;
        long reset = decision.resetAfterMicros();
        long endsIn = reset > 0 ? reset : unitMicros - Math.floorMod(wallMicros.getAsLong(), unitMicros);
        return new Usage(hits, before, endsIn, decision.source(), uncount);
    }
}
