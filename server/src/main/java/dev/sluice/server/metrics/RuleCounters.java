package dev.sluice.server.metrics;

import dev.sluice.Outcome;
import dev.sluice.server.history.Column;
import dev.sluice.server.history.Counted;
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
 * counted together. Fewer of them are shown as metrics than are counted.
 *
 * <p>Counting costs one look-up and one addition, and allocates nothing.
 */
final class RuleCounters {
    static final String OTHER = "other";

    private final int maxShown;
    private final int maxRules;
    private final Counters other = new Counters();
    private Collection<String> rules = List.of();
    private Collection<String> descriptors = List.of();
    private volatile Map<String, Counters> byRule = Map.of();

    /** The counters of one rule. */
    private static final class Counters {
        final Map<Outcome, LongAdder> outcomes = new EnumMap<>(Outcome.class);
        final LongAdder waited = new LongAdder();
        final LongAdder degraded = new LongAdder();
        final LongAdder failed = new LongAdder();

        Counters() {
            for (Outcome outcome : Outcome.values()) {
                outcomes.put(outcome, new LongAdder());
            }
        }

        void count(Outcome outcome) {
            LongAdder counter = outcomes.get(outcome);
            if (counter != null) {
                counter.increment();
            }
        }

        long sum(Outcome outcome) {
            LongAdder counter = outcomes.get(outcome);
            return counter == null ? 0 : counter.sum();
        }

        long[] totals() {
            long[] totals = new long[Column.values().length];
            totals[Column.ALLOWED.index()] = sum(Outcome.ALLOWED);
            totals[Column.DENIED.index()] = sum(Outcome.DENIED);
            totals[Column.SHADOWED.index()] = sum(Outcome.SHADOWED);
            totals[Column.WAITED.index()] = waited.sum();
            totals[Column.SHED.index()] = sum(Outcome.SHED);
            totals[Column.DEGRADED.index()] = degraded.sum();
            totals[Column.NEVER.index()] = sum(Outcome.NEVER);
            totals[Column.FAILED.index()] = failed.sum();
            return totals;
        }
    }

    /** Shows and counts this many. */
    RuleCounters(int maxRules) {
        this(maxRules, maxRules);
    }

    RuleCounters(int maxShown, int maxRules) {
        this.maxShown = maxShown;
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
        Map<String, Counters> next = new LinkedHashMap<>();
        Map<String, Counters> now = byRule;
        for (String name : names) {
            if (next.size() == maxRules) {
                break;
            }
            if (name.equals(OTHER)) {
                continue; // it is counted under this name anyway
            }
            Counters counters = now.get(name);
            next.put(name, counters == null ? new Counters() : counters);
        }
        byRule = next;
    }

    void count(String rule, Outcome outcome) {
        of(rule).count(outcome);
    }

    /** A request that the rule let through after a wait; counted by its outcome, too, as are the others below. */
    void waited(String rule) {
        of(rule).waited.increment();
    }

    void degraded(String rule) {
        of(rule).degraded.increment();
    }

    void failed(String rule) {
        of(rule).failed.increment();
    }

    private Counters of(String rule) {
        Counters counters = byRule.get(rule);
        return counters == null ? other : counters;
    }

    void read(Counted.Reader reader) {
        byRule.forEach((rule, counters) -> reader.rule(rule, counters.totals()));
        reader.rule(OTHER, other.totals());
    }

    CounterSnapshot snapshot() {
        CounterSnapshot.Builder builder = CounterSnapshot.builder()
                .name("sluice_decisions")
                .help("Decisions by rule and outcome; rules beyond the first " + maxShown + " count as " + OTHER + ".");
        Map<Outcome, Long> rest = sums(other);
        int shown = 0;
        for (Map.Entry<String, Counters> rule : byRule.entrySet()) {
            if (shown++ < maxShown) {
                add(builder, rule.getKey(), sums(rule.getValue()));
            } else {
                sums(rule.getValue()).forEach((outcome, count) -> rest.merge(outcome, count, Long::sum));
            }
        }
        add(builder, OTHER, rest);
        return builder.build();
    }

    private static Map<Outcome, Long> sums(Counters counters) {
        Map<Outcome, Long> sums = new EnumMap<>(Outcome.class);
        counters.outcomes.forEach((outcome, counter) -> sums.put(outcome, counter.sum()));
        return sums;
    }

    private static void add(CounterSnapshot.Builder builder, String rule, Map<Outcome, Long> counts) {
        counts.forEach((outcome, count) -> {
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
}
