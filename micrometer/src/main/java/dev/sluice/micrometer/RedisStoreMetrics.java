package dev.sluice.micrometer;

import dev.sluice.Store;
import dev.sluice.redis.RedisCounters;
import dev.sluice.redis.RedisCounters.BreakerState;
import dev.sluice.redis.RedisStore;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** What a store on Redis has beside its memory. The only class here that needs the module for Redis. */
final class RedisStoreMetrics {
    private final RedisStore store;
    private final MeterRegistry registry;

    private RedisStoreMetrics(RedisStore store, MeterRegistry registry) {
        this.store = store;
        this.registry = registry;
    }

    static boolean isRedis(Store store) {
        return store instanceof RedisStore;
    }

    static void bind(Store store, MeterRegistry registry) {
        new RedisStoreMetrics((RedisStore) store, registry).bind();
    }

    /** The gauges of the masters, which {@link #rows} fills. */
    static MultiGauge masters(MeterRegistry registry) {
        return MultiGauge.builder("sluice.store.master.up")
                .description("0 while the circuit breaker of this master is open, and 1 while it is asked.")
                .register(registry);
    }

    static List<MultiGauge.Row<?>> rows(Store store) {
        List<MultiGauge.Row<?>> rows = new ArrayList<>();
        ((RedisStore) store)
                .counters()
                .breakers()
                .forEach((master, state) ->
                        rows.add(MultiGauge.Row.of(Tags.of("master", master), state == BreakerState.OPEN ? 0 : 1)));
        return rows;
    }

    private void bind() {
        count("asked", "Decisions that Redis was asked for.", RedisCounters::asked);
        count("answered.here", "Decisions without asking Redis.", RedisCounters::answeredHere);
        count("timeouts", "Calls to Redis that timed out.", RedisCounters::timeouts);
        count("failures", "Calls to Redis that failed for another reason.", RedisCounters::failures);
        count("opened", "How often a circuit breaker opened.", RedisCounters::timesOpened);
        count("calls", "Commands sent to Redis.", RedisCounters::calls);
        count("late", "Replies of Redis that came after the timeout.", RedisCounters::late);
        count("refusals", "Calls not sent because too many were in flight.", RedisCounters::refusals);
        count("reconnects", "Connections made in place of an earlier one.", RedisCounters::reconnects);
        count("holds.restored", "Holds that Redis had lost, added again.", RedisCounters::holdsRestored);
        count("holds.lost", "Holds that Redis had lost, and others took.", RedisCounters::holdsLost);
        count("damaged", "States in Redis that could not be read, and were replaced.", RedisCounters::damagedStates);
        policy("allow", RedisCounters::allowedByPolicy);
        policy("deny", RedisCounters::deniedByPolicy);
        policy("local", RedisCounters::decidedLocally);
        gauge("in.flight", "Calls that wait for Redis.", RedisCounters::inFlight);
        gauge("batched", "Permits that were fetched ahead and are not spent.", RedisCounters::permitsInBatches);
        gauge("batched.max", "The bound on permits that are fetched ahead.", RedisCounters::maxPermitsInBatches);
        gauge(
                "up",
                "0 while a circuit breaker is open, so that a master of Redis is not asked.",
                now -> now.open() ? 0 : 1);
    }

    private void count(String name, String description, ToDoubleFunction<RedisCounters> count) {
        FunctionCounter.builder("sluice.store." + name, store, now -> count.applyAsDouble(now.counters()))
                .description(description)
                .register(registry);
    }

    private void policy(String policy, ToDoubleFunction<RedisCounters> count) {
        FunctionCounter.builder("sluice.store.without", store, now -> count.applyAsDouble(now.counters()))
                .tag("policy", policy)
                .description("Decisions by on-store-failure because Redis did not answer.")
                .register(registry);
    }

    private void gauge(String name, String description, ToDoubleFunction<RedisCounters> value) {
        Gauge.builder("sluice.store." + name, store, now -> value.applyAsDouble(now.counters()))
                .description(description)
                .strongReference(true)
                .register(registry);
    }
}
