package dev.sluice.server.check;

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
 * Permits of concurrency limits that were granted over HTTP, each hold under an id that cannot be guessed, until a client
 * releases it or its lease ends. A hold is known only to the process that granted it.
 */
public final class HeldPermits {
    private static final int ID_BYTES = 16;

    private record Held(Verdict verdict, long timer) {}

    private final Vertx vertx;
    private final RuleEngine engine;
    private final int max;
    private final SecureRandom random = new SecureRandom();
    private final Map<String, Held> held = new ConcurrentHashMap<>();
    private final AtomicInteger count = new AtomicInteger();

    /** At most {@code max} holds at once. */
    public HeldPermits(Vertx vertx, RuleEngine engine, int max) {
        this.vertx = vertx;
        this.engine = engine;
        this.max = max;
    }

    /** How many holds are open. */
    public int open() {
        return count.get();
    }

    /** Keeps the permits of a verdict until they are released or the lease ends; the id, or null if there are too many. */
    @Nullable
    String add(Verdict verdict, long leaseMillis) {
        if (count.incrementAndGet() > max) {
            count.decrementAndGet();
            return null;
        }
        byte[] bytes = new byte[ID_BYTES];
        random.nextBytes(bytes);
        String id = Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
        held.put(id, new Held(verdict, vertx.setTimer(leaseMillis, ended -> release(id))));
        return id;
    }

    /** Releases the permits of a hold; whether there was one with this id. */
    boolean release(String id) {
        Verdict verdict = remove(id);
        if (verdict != null) {
            engine.release(verdict);
        }
        return verdict != null;
    }

    /** Forgets a hold without releasing its permits; the verdict that holds them, if there was one with this id. */
    @Nullable
    Verdict remove(String id) {
        Held removed = held.remove(id);
        if (removed == null) {
            return null;
        }
        count.decrementAndGet();
        vertx.cancelTimer(removed.timer);
        return removed.verdict;
    }
}
