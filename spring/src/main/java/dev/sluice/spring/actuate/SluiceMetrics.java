package dev.sluice.spring.actuate;

import dev.sluice.Outcome;
import dev.sluice.Store;
import dev.sluice.StoreUsage;
import dev.sluice.redis.RedisCounters;
import dev.sluice.redis.RedisStore;
import dev.sluice.rules.Request;
import dev.sluice.rules.RuleDecision;
import dev.sluice.rules.RuleEngine;
import dev.sluice.rules.Verdict;
import dev.sluice.rules.VerdictListener;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.ToDoubleFunction;

/**
 * Counts decisions in {@code sluice.decisions}, by rule and outcome, never by key. After the first thousand rules, the
 * others are counted together as {@code other}.
 */
final class SluiceMetrics implements MeterBinder {
    private static final int MAX_RULES = 1000;
    private static final String OTHER = "other";

    private final RuleEngine engine;
    private final Store store;

    SluiceMetrics(RuleEngine engine, Store store) {
        this.engine = engine;
        this.store = store;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        engine.listener(new DecisionCounters(registry));
        memory(registry, "keys", "Keys with a counter of their own in this process.", StoreUsage::keys);
        memory(registry, "bytes", "Bytes that counters take in this process.", StoreUsage::bytes);
        memory(registry, "bytes.max", "The bound on the bytes that counters take.", StoreUsage::maxBytes);
        FunctionCounter.builder(
                        "sluice.store.at.bound", store, each -> each.usage().atBound())
                .description("Decisions on keys that shared a counter, because the memory was used up.")
                .register(registry);
        if (store instanceof RedisStore redis) {
            count(registry, redis, "asked", "Decisions that Redis was asked for.", RedisCounters::asked);
            count(registry, redis, "answered.here", "Decisions without asking Redis.", RedisCounters::answeredHere);
            count(registry, redis, "timeouts", "Calls to Redis that timed out.", RedisCounters::timeouts);
            count(registry, redis, "failures", "Calls that failed for another reason.", RedisCounters::failures);
            count(registry, redis, "opened", "How often a circuit breaker opened.", RedisCounters::timesOpened);
            count(registry, redis, "calls", "Commands sent to Redis.", RedisCounters::calls);
            count(registry, redis, "late", "Replies that came after the timeout.", RedisCounters::late);
            count(registry, redis, "refusals", "Calls not sent: too many in flight.", RedisCounters::refusals);
            count(registry, redis, "reconnects", "Connections in place of an earlier one.", RedisCounters::reconnects);
            count(registry, redis, "holds.restored", "Lost holds, added again.", RedisCounters::holdsRestored);
            count(registry, redis, "holds.lost", "Lost holds that others took.", RedisCounters::holdsLost);
            count(registry, redis, "damaged", "States that could not be read.", RedisCounters::damagedStates);
            gauge(registry, redis, "in.flight", "Calls that wait for Redis.", RedisCounters::inFlight);
            gauge(registry, redis, "batched", "Permits fetched ahead, not spent.", RedisCounters::permitsInBatches);
            gauge(registry, redis, "batched.max", "The bound on those.", RedisCounters::maxPermitsInBatches);
            String without = "Decisions by policy because Redis did not answer.";
            count(registry, redis, "without", without, RedisCounters::allowedByPolicy, "policy", "allow");
            count(registry, redis, "without", without, RedisCounters::deniedByPolicy, "policy", "deny");
            count(registry, redis, "without", without, RedisCounters::decidedLocally, "policy", "local");
            Gauge.builder("sluice.store.up", redis, each -> each.counters().open() ? 0 : 1)
                    .description("0 while a circuit breaker is open, so that a master of Redis is not called.")
                    .register(registry);
        }
    }

    private void memory(MeterRegistry registry, String name, String description, ToDoubleFunction<StoreUsage> value) {
        Gauge.builder("sluice.store." + name, store, each -> value.applyAsDouble(each.usage()))
                .description(description)
                .register(registry);
    }

    private static void gauge(
            MeterRegistry registry,
            RedisStore redis,
            String name,
            String description,
            ToDoubleFunction<RedisCounters> value) {
        Gauge.builder("sluice.store." + name, redis, each -> value.applyAsDouble(each.counters()))
                .description(description)
                .register(registry);
    }

    private static void count(
            MeterRegistry registry,
            RedisStore redis,
            String name,
            String description,
            ToDoubleFunction<RedisCounters> count,
            String... tags) {
        FunctionCounter.builder("sluice.store." + name, redis, each -> count.applyAsDouble(each.counters()))
                .description(description)
                .tags(tags)
                .register(registry);
    }

    /** The counters of one registry, kept by rule so that counting needs no look-up in the registry. */
    private static final class DecisionCounters implements VerdictListener {
        private final MeterRegistry registry;
        private final Map<String, Map<Outcome, Counter>> counters = new ConcurrentHashMap<>();

        DecisionCounters(MeterRegistry registry) {
            this.registry = registry;
        }

        @Override
        public void decided(Request request, Verdict verdict) {
            List<RuleDecision> ruleDecisions = verdict.decisions();
            for (int i = 0; i < ruleDecisions.size(); i++) {
                RuleDecision ruleDecision = ruleDecisions.get(i);
                Map<Outcome, Counter> known = of(ruleDecision.rule().name());
                Objects.requireNonNull(known.get(ruleDecision.decision().outcome()))
                        .increment();
            }
        }

        private Map<Outcome, Counter> of(String rule) {
            Map<Outcome, Counter> known = counters.get(rule);
            if (known != null) {
                return known;
            }
            String name = counters.size() < MAX_RULES ? rule : OTHER;
            return counters.computeIfAbsent(name, this::register);
        }

        private Map<Outcome, Counter> register(String rule) {
            Map<Outcome, Counter> made = new EnumMap<>(Outcome.class);
            for (Outcome outcome : Outcome.values()) {
                made.put(
                        outcome,
                        Counter.builder("sluice.decisions")
                                .description("Decisions of rules on requests and calls.")
                                .tag("rule", rule)
                                .tag("outcome", outcome.name().toLowerCase(Locale.ROOT))
                                .register(registry));
            }
            return made;
        }
    }
}
