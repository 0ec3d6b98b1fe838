package dev.sluice.redis;

import dev.sluice.Charge;
import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.OnFailure;
import dev.sluice.Scheduler;
import dev.sluice.Store;
import dev.sluice.StoreUsage;
import dev.sluice.redis.client.ResilientConnection;
import dev.sluice.redis.combine.Combiner;
import dev.sluice.redis.hold.LimitersOfOneName;
import dev.sluice.redis.wait.OpenWaits;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
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
 * <p>While Redis does not answer, the {@linkplain OnFailure failure policy} of the limiter does, within twice the timeout,
 * and nothing is thrown. The store reconnects by itself. It can be built before Redis is there.
 */
public final class RedisStore implements Store {
    /** What all limiters of a store share. */
    record Setup(
            ResilientConnection connection,
            Combiner combiner,
            String prefix,
            FallbackCounters counters,
            Store memory,
            DenialCache denials,
            ScheduledExecutorService executor,
            Scheduler scheduler,
            OpenWaits waits,
            LimitersOfOneName holding,
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

    /** A store with options. */
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

    @Override
    public Limiter batchedLimiter(String name, OnFailure onFailure, Limit... limits) {
        return limiterBuilder(name, limits).onFailure(onFailure).batched().build();
    }

    /** A limiter with options. */
    public RedisLimiterBuilder limiterBuilder(String name, Limit... limits) {
        return new RedisLimiterBuilder(setup, name, limits);
    }

    /**
     * One atomic step where there is one master, and the charges ask for the same number of permits, of at most eight
     * limits in all. Otherwise the limiters are charged one after another, in their order, and refunded when one denies:
     * no more is admitted than the limits allow, but until the refund another request may be denied.
     */
    @Override
    public CompletableFuture<List<Decision>> decideAll(List<Charge> charges) {
        List<RedisLimiter> limiters = new ArrayList<>(charges.size());
        for (Charge charge : charges) {
            limiters.add(own(charge));
        }
        return new JointRequest(charges, limiters).decide(setup);
    }

    private RedisLimiter own(Charge charge) {
        if (charge.limiter() instanceof RedisLimiter limiter && limiter.core().isOf(setup)) {
            return limiter;
        }
        throw new IllegalArgumentException(
                charge.limiter() + " is not of this store: charge together only limiters that this store made");
    }

    /** Counts of the store's calls and decisions since it was built. */
    public RedisCounters counters() {
        ResilientConnection.Counters calls = setup.connection().counters();
        FallbackCounters fallback = setup.counters();
        return new RedisCounters(
                fallback.asked.sum(),
                fallback.answeredHere.sum(),
                calls.timeouts(),
                calls.failures(),
                fallback.allowedByPolicy.sum(),
                fallback.deniedByPolicy.sum(),
                fallback.decidedLocally.sum(),
                calls.timesOpened(),
                calls.open(),
                calls.calls(),
                calls.late(),
                calls.refusals(),
                calls.underWay(),
                calls.reconnects(),
                breakers(calls),
                fallback.holds.restored().sum(),
                fallback.holds.lost().sum(),
                fallback.batches.unspent(),
                fallback.batches.maxUnspent(),
                setup.combiner().damagedStates().count());
    }

    private static Map<String, RedisCounters.BreakerState> breakers(ResilientConnection.Counters calls) {
        Map<String, RedisCounters.BreakerState> breakers = new TreeMap<>();
        calls.breakers()
                .forEach((master, state) -> breakers.put(master, RedisCounters.BreakerState.valueOf(state.name())));
        return breakers;
    }

    /** The memory of the limiters in this process that decide while Redis does not answer. */
    @Override
    public StoreUsage usage() {
        return setup.memory().usage();
    }

    /**
     * Ends all waits, refunds batches that are not spent, answers all calls that are under way by their failure policy, and closes the connection. The limiters
     * of this store follow their failure policy from then on, and nobody waits any more.
     */
    @Override
    public void close() {
        setup.waits().close();
        setup.counters()
                .batches
                .refundAll(TimeUnit.MICROSECONDS.toNanos(setup.waits().timeoutMicros()));
        setup.executor().shutdownNow();
        setup.connection().close();
    }

    /** The time of this machine, as a first estimate of the server's. */
    static long wallMicros() {
        return TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis());
    }
}
