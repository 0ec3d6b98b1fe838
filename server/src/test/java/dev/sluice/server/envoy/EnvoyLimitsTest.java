package dev.sluice.server.envoy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.OnFailure;
import dev.sluice.Store;
import dev.sluice.server.envoy.file.EnvoyConfig;
import dev.sluice.server.envoy.file.EnvoyConfigException;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Counting as envoyproxy/ratelimit does. */
final class EnvoyLimitsTest {
    private static final String CONFIG = """
            domain: d
            descriptors:
              - { key: a, rate_limit: { unit: second, requests_per_unit: 5 } }
              - { key: b, rate_limit: { unit: minute, requests_per_unit: 0 } }
              - { key: c, value: x*, share_threshold: true, rate_limit: { unit: minute, requests_per_unit: 50 } }
            """;

    private final Clock clock = new Clock();
    private final EnvoyLimits limits = limits(CONFIG);

    /** What it does, as plainly as can be: add the hits, whatever comes of it, and compare. */
    private static final class Model {
        private final Map<String, Long> counts = new HashMap<>();

        String add(String key, String value, long hits, long seconds) {
            long limit = key.equals("a") ? 5 : key.equals("b") ? 0 : 50;
            long unit = key.equals("a") ? 1 : 60;
            String counter = key + (key.equals("c") ? "" : value) + seconds / unit;
            long count = counts.merge(counter, hits, Long::sum);
            return (count > limit ? "OVER_LIMIT " : "OK ") + Math.max(0, limit - count) + " " + (unit - seconds % unit);
        }
    }

    @Test
    void theSameAsAPlainModel() {
        Random random = new Random(4);
        Model model = new Model();
        long millis = 0;
        for (int i = 0; i < 15_000; i++) {
            millis += random.nextInt(4) == 0 ? random.nextInt(900) : 0;
            clock.to(millis / 1000 + "." + String.format("%03d", millis % 1000));
            String key = List.of("a", "a", "a", "b", "c", "c").get(random.nextInt(6));
            String value = (key.equals("c") ? "x" : "") + random.nextInt(3);
            long hits = random.nextInt(3) == 0 ? random.nextInt(9) : 1;
            RateLimitResponse.DescriptorStatus status = ask(limits, key + "=" + value + " x" + hits);
            String answer = status.getCode() + " " + status.getLimitRemaining() + " "
                    + status.getDurationUntilReset().getSeconds();
            String expected = model.add(key, value, hits, millis / 1000);
            if (!answer.equals(expected)) {
                assertThat(answer)
                        .as("call " + i + " at " + millis + " ms: " + key + "=" + value + " x" + hits)
                        .isEqualTo(expected);
            }
        }
    }

    @Test
    void manyAtOnceAreCountedEach() {
        AtomicInteger within = new AtomicInteger();
        IntStream.range(0, 400).parallel().forEach(i -> {
            if (ask(limits, "c=x" + i).getCode() == RateLimitResponse.Code.OK) {
                within.incrementAndGet();
            }
        });
        assertThat(within).hasValue(50);
    }

    @Test
    void manyOfManyHitsAtOnceNeverPassTheLimit() {
        for (int round = 0; round < 50; round++) {
            clock.to(Integer.toString(60 * round));
            AtomicInteger within = new AtomicInteger();
            IntStream.range(0, 40).parallel().forEach(i -> {
                int hits = 1 + i % 7;
                if (ask(limits, "c=x x" + hits).getCode() == RateLimitResponse.Code.OK) {
                    within.addAndGet(hits);
                }
            });
            assertThat(within.get()).isLessThanOrEqualTo(50).isGreaterThan(50 - 7);
            assertThat(ask(limits, "c=x x0").getCode()).isEqualTo(RateLimitResponse.Code.OVER_LIMIT);
        }
    }

    @Test
    void aNewConfigurationKeepsTheCounts() throws Exception {
        ask(limits, "c=x x40");
        limits.apply(EnvoyConfig.parse(Map.of("d.yaml", CONFIG.replace("50", "60"))));
        assertThat(ask(limits, "c=x").getLimitRemaining()).isEqualTo(19);
        limits.apply(EnvoyConfig.parse(Map.of("d.yaml", CONFIG.replace("50", "10"))));
        assertThat(ask(limits, "c=x").getCode()).isEqualTo(RateLimitResponse.Code.OVER_LIMIT);
        limits.apply(EnvoyConfig.parse(Map.of("d.yaml", CONFIG.replace("minute", "hour"))));
        assertThat(ask(limits, "c=x").getLimitRemaining()).as("another window").isEqualTo(49);
        limits.apply(EnvoyConfig.parse(Map.of("e.yaml", "domain: e")));
        assertThat(ask(limits, "c=x").hasCurrentLimit()).isFalse();
        assertThat(limits.config().domains()).containsExactly("e");
    }

    private EnvoyLimits limits(String config) {
        try {
            return new EnvoyLimits(
                    Store.local(clock), OnFailure.LOCAL, EnvoyConfig.parse(Map.of("d.yaml", config)), clock::micros);
        } catch (EnvoyConfigException e) {
            throw new AssertionError(e);
        }
    }

    private static RateLimitResponse.DescriptorStatus ask(EnvoyLimits limits, String descriptor) {
        RateLimitRequest request = RateLimitRequest.newBuilder()
                .setDomain("d")
                .addDescriptors(Trace.descriptor(descriptor))
                .build();
        return RateLimitResponses.of(request, limits.decide(request).join().results())
                .getStatuses(0);
    }
}
