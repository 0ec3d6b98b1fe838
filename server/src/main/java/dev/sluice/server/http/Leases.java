package dev.sluice.server.http;

import dev.sluice.rules.RuleEngine;
import dev.sluice.rules.Verdict;
import io.vertx.core.Vertx;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Permits of concurrency limits that were granted over HTTP, by an id that cannot be guessed, until they are freed or
 * run out. They live in the process that granted them.
 */
public final class Leases {
    private static final int ID_BYTES = 16;

    private record Lease(Verdict held, long timer) {}

    private final Vertx vertx;
    private final RuleEngine engine;
    private final int most;
    private final SecureRandom random = new SecureRandom();
    private final Map<String, Lease> leases = new ConcurrentHashMap<>();
    private final AtomicInteger count = new AtomicInteger();

    /** At most {@code most} at once. */
    public Leases(Vertx vertx, RuleEngine engine, int most) {
        this.vertx = vertx;
        this.engine = engine;
        this.most = most;
    }

    /** How many there are. */
    public int count() {
        return count.get();
    }

    /** An id for what a verdict holds, for at most so long; nothing if there are too many already. */
    @Nullable
    String grant(Verdict held, long millis) {
        if (count.incrementAndGet() > most) {
            count.decrementAndGet();
            return null;
        }
        byte[] bytes = new byte[ID_BYTES];
        random.nextBytes(bytes);
        String id = Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
        leases.put(id, new Lease(held, vertx.setTimer(millis, due -> free(id))));
        return id;
    }

    /** Frees what a lease holds. Whether there was one. */
    boolean free(String id) {
        Verdict held = forget(id);
        if (held != null) {
            engine.release(held);
        }
        return held != null;
    }

    /** Ends a lease without freeing anything; what it holds, if there was one. */
    @Nullable
    Verdict forget(String id) {
        Lease lease = leases.remove(id);
        if (lease == null) {
            return null;
        }
        count.decrementAndGet();
        vertx.cancelTimer(lease.timer);
        return lease.held;
    }
}
