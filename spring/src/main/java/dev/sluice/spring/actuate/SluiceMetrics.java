package dev.sluice.spring.actuate;

import dev.sluice.Outcome;
import dev.sluice.Store;
import dev.sluice.micrometer.StoreMetrics;
import dev.sluice.rules.Request;
import dev.sluice.rules.RuleDecision;
import dev.sluice.rules.Verdict;
import dev.sluice.rules.VerdictListener;
import dev.sluice.spring.RuleRegistry;
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
 * Counts decisions in {@code sluice.decisions}, by rule and outcome, never by key: a decision that lets a request go ahead
 * with less is {@code degraded}, and not {@code denied}. After the first thousand rules, the others are counted together as
 * {@code other}. Beside that, the numbers of the store, and of changes of the rules under the names that the server has.
 */
final class SluiceMetrics implements MeterBinder {
    private static final int MAX_RULES = 1000;
    private static final String OTHER = "other";
    private static final String DEGRADED = "degraded";

    private final RuleRegistry rules;
    private final Store store;

    SluiceMetrics(RuleRegistry rules, Store store) {
        this.rules = rules;
        this.store = store;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        rules.engine().listener(new DecisionCounters(registry));
        rules.listener(new LimitedCallMeters(registry));
        new StoreMetrics(store).bindTo(registry);
        gauge(registry, "sluice.rules", "Rules in force.", now -> now.rules().size());
        gauge(registry, "sluice.rules.version", "The version of the rules in force.", SluiceMetrics::version);
        gauge(
                registry,
                "sluice.rules.bad",
                "1 while the newest rules are bad, and older ones in force.",
                now -> now.rejected() == null ? 0 : 1);
        count(registry, "sluice.rules.changes", "Changes of the rules.", now -> version(now) - 1);
        count(
                registry,
                "sluice.rules.rejections",
                "Rules that were rejected because they were bad.",
                RuleRegistry::rejections);
    }

    private static double version(RuleRegistry rules) {
        return rules.versions().get(0).number();
    }

    private void gauge(MeterRegistry registry, String name, String description, ToDoubleFunction<RuleRegistry> value) {
        Gauge.builder(name, rules, value).description(description).register(registry);
    }

    private void count(MeterRegistry registry, String name, String description, ToDoubleFunction<RuleRegistry> value) {
        FunctionCounter.builder(name, rules, value).description(description).register(registry);
    }

    /** The counters of one rule. */
    private record RuleCounters(Map<Outcome, Counter> outcomes, Counter degraded) {
        Counter of(RuleDecision decision) {
            return decision.degrades()
                    ? degraded
                    : Objects.requireNonNull(outcomes.get(decision.decision().outcome()));
        }
    }

    /** The counters of one registry, kept by rule so that counting needs no look-up in the registry. */
    private static final class DecisionCounters implements VerdictListener {
        private final MeterRegistry registry;
        private final Map<String, RuleCounters> counters = new ConcurrentHashMap<>();

        DecisionCounters(MeterRegistry registry) {
            this.registry = registry;
        }

        @Override
        public void decided(Request request, Verdict verdict) {
            List<RuleDecision> decisions = verdict.decisions();
            for (int i = 0; i < decisions.size(); i++) {
                RuleDecision decision = decisions.get(i);
                of(decision.rule().name()).of(decision).increment();
            }
        }

        private RuleCounters of(String rule) {
            RuleCounters known = counters.get(rule);
            if (known != null) {
                return known;
            }
            String name = counters.size() < MAX_RULES ? rule : OTHER;
            return counters.computeIfAbsent(name, this::register);
        }

        private RuleCounters register(String rule) {
            Map<Outcome, Counter> outcomes = new EnumMap<>(Outcome.class);
            for (Outcome outcome : Outcome.values()) {
                outcomes.put(outcome, counter(rule, outcome.name().toLowerCase(Locale.ROOT)));
            }
            return new RuleCounters(outcomes, counter(rule, DEGRADED));
        }

        private Counter counter(String rule, String outcome) {
            return Counter.builder("sluice.decisions")
                    .description("Decisions of rules on requests and calls.")
                    .tag("rule", rule)
                    .tag("outcome", outcome)
                    .register(registry);
        }
    }
}
