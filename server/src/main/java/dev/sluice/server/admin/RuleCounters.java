package dev.sluice.server.admin;

import dev.sluice.Outcome;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import java.util.Collection;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts the decisions of each rule and each limit for Envoy, by outcome. Their number is bounded; those beyond it are
 * counted together.
 *
 * <p>Counting costs one look-up and one addition, and allocates nothing.
 */
final class RuleCounters {
    static final String OTHER = "other";

    private final int maxRules;
    private final Map<Outcome, LongAdder> other = counters();
    private Collection<String> rules = List.of();
    private Collection<String> descriptors = List.of();
    private volatile Map<String, Map<Outcome, LongAdder>> byRule = Map.of();

    RuleCounters(int maxRules) {
        this.maxRules = maxRules;
    }

    /** Sets the names of the rules. A name that stays keeps its counts; the counts of one that goes are lost. */
    synchronized void rules(Collection<String> names) {
        rules = List.copyOf(names);
        rename();
    }

    /** Sets the names of the limits for Envoy, likewise. */
    synchronized void descriptors(Collection<String> names) {
        descriptors = List.copyOf(names);
        rename();
    }

    private void rename() {
        Set<String> names = new LinkedHashSet<>(rules);
        names.addAll(descriptors);
        Map<String, Map<Outcome, LongAdder>> next = new LinkedHashMap<>();
        Map<String, Map<Outcome, LongAdder>> now = byRule;
        for (String name : names) {
            if (next.size() == maxRules) {
                break;
            }
            if (name.equals(OTHER)) {
                continue; // it is counted under this name anyway
            }
            Map<Outcome, LongAdder> counters = now.get(name);
            next.put(name, counters == null ? counters() : counters);
        }
        byRule = next;
    }

    void count(String rule, Outcome outcome) {
        Map<Outcome, LongAdder> counters = byRule.get(rule);
        LongAdder counter = (counters == null ? other : counters).get(outcome);
        if (counter != null) {
            counter.increment();
        }
    }

    CounterSnapshot snapshot() {
        CounterSnapshot.Builder builder = CounterSnapshot.builder()
                .name("sluice_decisions")
                .help("Decisions by rule and outcome; rules beyond the first " + maxRules + " count as " + OTHER + ".");
        byRule.forEach((rule, counters) -> add(builder, rule, counters));
        add(builder, OTHER, other);
        return builder.build();
    }

    private static void add(CounterSnapshot.Builder builder, String rule, Map<Outcome, LongAdder> counters) {
        counters.forEach((outcome, counter) -> {
            long count = counter.sum();
            boolean usual = outcome == Outcome.ALLOWED || outcome == Outcome.DENIED;
            if (count > 0 || (usual && !rule.equals(OTHER))) {
                builder.dataPoint(CounterDataPointSnapshot.builder()
                        .labels(Labels.of(
                                "rule", rule, "outcome", outcome.name().toLowerCase(Locale.ROOT)))
                        .value((double) count)
                        .build());
            }
        });
    }

    /** One counter for each outcome. */
    private static Map<Outcome, LongAdder> counters() {
        Map<Outcome, LongAdder> counters = new EnumMap<>(Outcome.class);
        for (Outcome outcome : Outcome.values()) {
            counters.put(outcome, new LongAdder());
        }
        return counters;
    }
}
