package dev.sluice.redis;

import dev.sluice.Charge;
import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.OnFailure;
import dev.sluice.Store;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Limiters shared by a fleet through Redis.
 *
 * <pre>{@code
 * try (RedisStore store = RedisStore.connect("redis://127.0.0.1:6379")) {
 *     Limiter login = store.limiter("login", Limit.slidingLog(5, Duration.ofMinutes(1)));
 *     if (login.tryAcquire("ip:203.0.113.9")) { ... }
 * }
 * }</pre>
 *
 * <p>Limiters of the same name on the same Redis share their counters, whichever process they are in. One decision is
 * one round trip, by the server's clock.
 *
 * <p>A Redis that does not answer is not waited for: calls are answered within twice the timeout, by the
 * {@linkplain OnFailure policy} of the limiter, and nothing is thrown. The store comes back by itself when Redis does; it
 * can be made before Redis is there.
 */
public final class RedisStore implements Store {
    /** What all limiters of a store have in common. */
    record Setup(
            Link link,
            String prefix,
            Tally tally,
            Denials denials,
            ScheduledExecutorService executor,
            OnFailure onFailure,
            long leaseMicros,
            String clock,
            @Nullable LongSupplier testMicros) {}

    private final Setup setup;

    Setup setup() {
        return setup;
    }

    RedisStore(Setup setup) {
        this.setup = setup;
    }

    /** A store on the Redis at a URL, such as {@code redis://127.0.0.1:6379}; see {@link RedisStoreBuilder#url}. */
    public static RedisStore connect(String url) {
        return builder().url(url).build();
    }

    /** A store with more said about it. */
    public static RedisStoreBuilder builder() {
        return new RedisStoreBuilder();
    }

    @Override
    public Limiter limiter(String name, Limit... limits) {
        return limiterBuilder(name, limits).build();
    }

    @Override
    public Limiter limiter(String name, OnFailure onFailure, Limit... limits) {
        return limiterBuilder(name, limits).onFailure(onFailure).build();
    }

    /** A limiter with more said about it. */
    public RedisLimiterBuilder limiterBuilder(String name, Limit... limits) {
        return new RedisLimiterBuilder(setup, name, limits);
    }

    /** One step where there is one master, however many limiters; on a cluster one after another. */
    @Override
    public CompletableFuture<List<Decision>> decideAll(List<Charge> charges) {
        Together together = setup.link().isOneMaster() ? Together.of(setup.link(), charges) : null;
        return together == null ? Store.super.decideAll(charges) : together.decide();
    }

    /** What the store has been doing. */
    public RedisCounters counters() {
        Link link = setup.link();
        Tally tally = setup.tally();
        return new RedisCounters(
                link.asked.sum(),
                tally.answeredHere.sum(),
                link.timeouts.sum(),
                link.failures.sum(),
                tally.allowedByPolicy.sum(),
                tally.deniedByPolicy.sum(),
                tally.decidedLocally.sum(),
                link.timesOpened.sum(),
                link.isOpen());
    }

    /** Ends the connection. Limiters of this store follow their policy from then on. */
    @Override
    public void close() {
        setup.executor().shutdownNow();
        setup.link().close();
    }

    /** What this machine takes the time to be; only a first guess at the server's. */
    static long wallMicros() {
        return TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis());
    }
}
