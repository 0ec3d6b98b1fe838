package dev.sluice.server.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Outcome;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class RuleTallyTest {
    private final RuleTally tally = new RuleTally(2);

    @Test
    void rulesPastTheMostShareAName() {
        tally.rules(List.of("a", "b", "c", "d"));
        tally.count("a", Outcome.ALLOWED);
        tally.count("b", Outcome.DENIED);
        tally.count("c", Outcome.DENIED);
        tally.count("d", Outcome.DENIED);
        assertThat(counts())
                .containsExactlyInAnyOrderEntriesOf(Map.of(
                        "a allowed", 1.0, "a denied", 0.0, "b allowed", 0.0, "b denied", 1.0, "other denied", 2.0));
    }

    @Test
    void aRuleMayHaveTheSharedName() {
        tally.rules(List.of("other", "a"));
        tally.count("other", Outcome.DENIED);
        assertThat(counts())
                .containsExactlyInAnyOrderEntriesOf(Map.of("a allowed", 0.0, "a denied", 0.0, "other denied", 1.0));
    }

    @Test
    void aNameThatStaysKeepsItsCounts() {
        tally.rules(List.of("a", "b"));
        tally.count("a", Outcome.SHED);
        tally.count("b", Outcome.ALLOWED);
        tally.rules(List.of("a", "c"));
        tally.count("a", Outcome.SHED);
        assertThat(counts())
                .containsEntry("a shed", 2.0)
                .containsEntry("c allowed", 0.0)
                .doesNotContainKey("b allowed");
    }

    @Test
    void timesFallIntoBuckets() {
        Latency latency = new Latency();
        latency.took(9_000);
        latency.took(10_000);
        latency.took(10_001);
        latency.took(3_000_000_000L);
        var point = latency.snapshot().getDataPoints().get(0);
        assertThat(point.getClassicBuckets().getCount(0)).isEqualTo(2);
        assertThat(point.getClassicBuckets().getCount(1)).isEqualTo(1);
        assertThat(point.getClassicBuckets().getCount(point.getClassicBuckets().size() - 1))
                .isEqualTo(1);
        assertThat(point.getCount()).isEqualTo(4);
        assertThat(point.getSum()).isCloseTo(3.000029, org.assertj.core.data.Offset.offset(1e-6));
    }

    private Map<String, Double> counts() {
        return tally.snapshot().getDataPoints().stream()
                .collect(Collectors.toMap(
                        point -> point.getLabels().get("rule") + " "
                                + point.getLabels().get("outcome"),
                        point -> point.getValue()));
    }
}
