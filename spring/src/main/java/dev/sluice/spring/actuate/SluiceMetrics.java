package dev.sluice.spring.actuate;

import dev.sluice.Outcome;
import dev.sluice.Store;
import dev.sluice.micrometer.StoreMetrics;
import dev.sluice.rules.Request;
import dev.sluice.rules.RuleDecision;
import dev.sluice.rules.RuleEngine;
import dev.sluice.rules.Verdict;
import dev.sluice.rules.VerdictListener;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;

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
        new StoreMetrics(store).bindTo(registry);
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
