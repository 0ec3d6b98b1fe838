package dev.sluice.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Decision;
import dev.sluice.server.envoy.DescriptorHits;
import dev.sluice.server.envoy.file.LimitPath;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class DescriptorCountersTest {
    private final DescriptorCounters counters = new DescriptorCounters(3);

    @Test
    void clientsThatChooseNamesTakeNoSeriesAway() {
        counters.limits(List.of(new LimitPath("d", "user"), new LimitPath("d", "path")));
        for (int i = 0; i < 1000; i++) {
            count("user", "user_" + i);
        }
        count("path", "path");
        assertThat(hits()).isEqualTo(Map.of("user", 997.0, "path", 1.0, "user_0", 1.0, "user_1", 1.0, "user_2", 1.0));
    }

    @Test
    void limitsPastTheMostShareAName() {
        counters.limits(List.of("a", "b", "c", "d", "e", "f", "g", "h").stream()
                .map(name -> new LimitPath("d", name))
                .toList());
        for (String name : List.of("a", "d", "e", "f", "g", "h")) {
            count(name, name);
        }
        assertThat(hits()).isEqualTo(Map.of("a", 1.0, "b", 0.0, "c", 0.0, "d", 1.0, "e", 1.0, "f", 1.0, "other", 2.0));
    }

    @Test
    void aNameOfARequestThatIsALimitOfAFileIsOneSeries() {
        counters.limits(List.of(new LimitPath("d", "user"), new LimitPath("d", "user_ada")));
        count("user", "user_ada");
        assertThat(hits()).isEqualTo(Map.of("user", 0.0, "user_ada", 1.0));
    }

    @Test
    void aLimitThatStaysKeepsItsCounts() {
        counters.limits(List.of(new LimitPath("d", "a"), new LimitPath("d", "b")));
        count("a", "a");
        count("b", "b_1");
        counters.limits(List.of(new LimitPath("d", "a"), new LimitPath("d", "c")));
        assertThat(hits()).isEqualTo(Map.of("a", 1.0, "c", 0.0));
    }

    @Test
    void namesOfRequestsAreShort() {
        count("a", "x".repeat(100_000));
        assertThat(hits().keySet()).allMatch(name -> name.length() == 256);
    }

    private void count(String descriptor, String detailed) {
        counters.count(new DescriptorHits(
                new LimitPath("d", descriptor),
                detailed,
                "",
                1,
                0,
                10,
                DescriptorHits.Mode.ENFORCED,
                Decision.Source.LOCAL,
                0));
    }

    private Map<String, Double> hits() {
        Map<String, Double> hits = new TreeMap<>();
        CounterSnapshot snapshot = (CounterSnapshot) counters.snapshots().stream()
                .filter(each -> each.getMetadata().getName().equals("sluice_descriptor_hits"))
                .findFirst()
                .orElseThrow();
        snapshot.getDataPoints()
                .forEach(point -> hits.put(String.valueOf(point.getLabels().get("descriptor")), point.getValue()));
        return hits;
    }
}
