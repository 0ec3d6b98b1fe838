package dev.sluice.micrometer;

import dev.sluice.Decision;
import dev.sluice.DecisionListener;
import dev.sluice.Outcome;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts the decisions of limiters in {@code sluice.limiter.decisions}, by {@code limiter}, {@code outcome} and
 * {@code source}, never by key.
 *
 * <pre>{@code
 * LimiterMetrics metrics = new LimiterMetrics();
 * metrics.bindTo(registry);
 * Limiter limiter = Limiter.builder(limit).listener(metrics.listener("login")).build();
 * }</pre>
 *
 * <p>Make one for all limiters of an application. Limiters whose listeners have the same name are counted together. After the first thousand names, the others are
 * counted together as {@code other}. Safe for use by any number of threads.
 *
 * <p>The numbers are kept here, and registries read them: so a registry that is bound twice counts once, and one that is
 * bound late has them all. The counters of a source appear with its first decision, all outcomes at once: a limiter in
 * this process has five series, not those of Redis too. The name is not {@code sluice.decisions}, whose tag is
 * {@code rule}: Prometheus takes only one set of tags for a name.
 */
public final class LimiterMetrics implements MeterBinder, AutoCloseable {
    private static final int MAX_LIMITERS = 1000;
    private static final String OTHER = "other";

    private final Map<String, LimiterCounters> limiters = new HashMap<>();
    private final IdentityHashMap<MeterRegistry, List<Meter>> bound = new IdentityHashMap<>();

    /** Counts nothing yet. */
    public LimiterMetrics() {}

    /**
     * A listener that counts the decisions of a limiter under this name; the same one for the same name.
     *
     * @throws IllegalArgumentException if the name is blank
     */
    public synchronized DecisionListener listener(String limiter) {
        if (limiter.isBlank()) {
            throw new IllegalArgumentException("the name of a limiter must not be blank, was '" + limiter + "'");
        }
        String name = limiters.containsKey(limiter) || limiters.size() < MAX_LIMITERS ? limiter : OTHER;
        return limiters.computeIfAbsent(name, LimiterCounters::new);
    }

    /** Registers the counters, those of today and those to come. A registry that has them already is left as it is. */
    @Override
    public synchronized void bindTo(MeterRegistry registry) {
        if (bound.containsKey(registry)) {
            return;
        }
        List<Meter> meters = new ArrayList<>();
        bound.put(registry, meters);
        limiters.values()
                .forEach(limiter -> limiter.seen.forEach(source -> register(registry, meters, limiter, source)));
    }

    /** Takes the counters out of every registry. The numbers are kept for one that is bound later. */
    @Override
    public synchronized void close() {
        bound.forEach((registry, meters) -> meters.forEach(registry::remove));
        bound.clear();
    }

    private synchronized void appear(LimiterCounters limiter, Decision.Source source) {
        if (limiter.seen.add(source)) {
            bound.forEach((registry, meters) -> register(registry, meters, limiter, source));
        }
    }

    private static void register(
            MeterRegistry registry, List<Meter> meters, LimiterCounters limiter, Decision.Source source) {
        limiter.counts(source)
                .forEach((outcome, count) ->
                        meters.add(FunctionCounter.builder("sluice.limiter.decisions", count, LongAdder::sum)
                                .description("Decisions of limiters.")
                                .tag("limiter", limiter.name)
                                .tag("outcome", word(outcome))
                                .tag("source", word(source))
                                .register(registry)));
    }

    private static String word(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** The numbers of one name. */
    private final class LimiterCounters implements DecisionListener {
        private final String name;
        private final Map<Decision.Source, Map<Outcome, LongAdder>> counts = new EnumMap<>(Decision.Source.class);
        private final Set<Decision.Source> seen = ConcurrentHashMap.newKeySet();

        LimiterCounters(String name) {
            this.name = name;
            for (Decision.Source source : Decision.Source.values()) {
                Map<Outcome, LongAdder> byOutcome = new EnumMap<>(Outcome.class);
                for (Outcome outcome : Outcome.values()) {
                    byOutcome.put(outcome, new LongAdder());
                }
                counts.put(source, byOutcome);
            }
        }

        @Override
        public void decided(String key, Decision decision) {
            Map<Outcome, LongAdder> byOutcome = counts(decision.source());
            LongAdder count = byOutcome.get(decision.outcome());
            if (count != null) {
                count.increment();
            }
            if (!seen.contains(decision.source())) {
                appear(this, decision.source());
            }
        }

        private Map<Outcome, LongAdder> counts(Decision.Source source) {
            return counts.getOrDefault(source, Map.of());
        }
    }
}
