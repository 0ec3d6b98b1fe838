package dev.sluice.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Outcome;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class RuleCountersTest {
    private final RuleCounters counters = new RuleCounters(2);

    @Test
    void rulesPastTheMostShareAName() {
        counters.rules(List.of("a", "b", "c", "d"));
        counters.count("a", Outcome.ALLOWED);
        counters.count("b", Outcome.DENIED);
        counters.count("c", Outcome.DENIED);
        counters.count("d", Outcome.DENIED);
        assertThat(counts())
                .containsExactlyInAnyOrderEntriesOf(Map.of(
                        "a allowed", 1.0, "a denied", 0.0, "b allowed", 0.0, "b denied", 1.0, "other denied", 2.0));
    }

    @Test
    void aRuleMayHaveTheSharedName() {
        counters.rules(List.of("other", "a"));
        counters.count("other", Outcome.DENIED);
        assertThat(counts())
                .containsExactlyInAnyOrderEntriesOf(Map.of("a allowed", 0.0, "a denied", 0.0, "other denied", 1.0));
    }

    @Test
    void aNameThatStaysKeepsItsCounts() {
        counters.rules(List.of("a", "b"));
        counters.count("a", Outcome.SHED);
        counters.count("b", Outcome.ALLOWED);
        counters.rules(List.of("a", "c"));
        counters.count("a", Outcome.SHED);
        assertThat(counts())
                .containsEntry("a shed", 2.0)
                .containsEntry("c allowed", 0.0)
                .doesNotContainKey("b allowed");
    }

    @Test
    void timesFallIntoBuckets() {
        CheckLatency latency = new CheckLatency();
        latency.record(9_000);
        latency.record(10_000);
        latency.record(10_001);
        latency.record(3_000_000_000L);
        var point = latency.snapshot().getDataPoints().get(0);
        assertThat(point.getClassicBuckets().getCount(0)).isEqualTo(2);
        assertThat(point.getClassicBuckets().getCount(1)).isEqualTo(1);
        assertThat(point.getClassicBuckets().getCount(point.getClassicBuckets().size() - 1))
                .isEqualTo(1);
        assertThat(point.getCount()).isEqualTo(4);
        assertThat(point.getSum()).isCloseTo(3.000029, org.assertj.core.data.Offset.offset(1e-6));
    }

    private Map<String, Double> counts() {
        return counters.snapshot().getDataPoints().stream()
                .collect(Collectors.toMap(
                        point -> point.getLabels().get("rule") + " "
                                + point.getLabels().get("outcome"),
                        point -> point.getValue()));
    }
}
