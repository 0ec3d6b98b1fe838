package dev.sluice.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.sluice.Decision;
import dev.sluice.DecisionListener;
import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.ManualClock;
import dev.sluice.Outcome;
import dev.sluice.spi.LimiterDecision;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class LimiterMetricsTest {
    private final ManualClock clock = new ManualClock();
    private final MeterRegistry registry = new SimpleMeterRegistry();
    private final LimiterMetrics metrics = new LimiterMetrics();

    private Limiter limiter(String name) {
        return Limiter.builder(Limit.slidingLog(2, Duration.ofMinutes(1)))
                .clock(clock)
                .listener(metrics.listener(name))
                .build();
    }

    /** What a registry counts, as {@code login allowed local}; nothing for zero. */
    private static Map<String, Integer> counted(MeterRegistry registry) {
        Map<String, Integer> counted = new TreeMap<>();
        for (Meter meter : registry.getMeters()) {
            assertThat(meter.getId().getName()).isEqualTo("sluice.limiter.decisions");
            assertThat(meter.getId().getTags()).hasSize(3);
            double value = meter.measure().iterator().next().getValue();
            if (value > 0) {
                counted.put(
                        meter.getId().getTag("limiter") + " " + meter.getId().getTag("outcome") + " "
                                + meter.getId().getTag("source"),
                        (int) value);
            }
        }
        return counted;
    }

    @Test
    void decisionsAreCountedByLimiterAndOutcome() {
        metrics.bindTo(registry);
        Limiter login = limiter("login");
        Limiter search = limiter("search");
        for (int i = 0; i < 5; i++) {
            login.tryAcquire("203.0.113." + i % 2);
        }
        login.decide("203.0.113.9", 3);
        search.decide("a");
        assertThat(counted(registry))
                .isEqualTo(Map.of(
                        "login allowed local", 4,
                        "login denied local", 1,
                        "login never local", 1,
                        "search allowed local", 1));
    }

    @Test
    void aMillionKeysMakeNoMoreMeters() {
        metrics.bindTo(registry);
        Limiter login = limiter("login");
        for (int i = 0; i < 1000; i++) {
            login.tryAcquire("key " + i);
        }
        assertThat(registry.getMeters()).hasSize(Outcome.values().length);
    }

    @Test
    void sourcesAreToldApartAndAppearWhenSeen() {
        metrics.bindTo(registry);
        DecisionListener listener = metrics.listener("a");
        assertThat(registry.getMeters()).isEmpty();
        Decision decision = limiter("b").decide("k");
        listener.decided("k", LimiterDecision.of(decision).withSource(Decision.Source.REDIS));
        listener.decided("k", LimiterDecision.of(decision).withSource(Decision.Source.DENIAL_CACHE));
        assertThat(counted(registry)).containsEntry("a allowed redis", 1).containsEntry("a allowed denial-cache", 1);
        assertThat(registry.getMeters()).hasSize(3 * Outcome.values().length);
    }

    @Test
    void whatIsBoundTwiceIsCountedOnce() {
        metrics.bindTo(registry);
        metrics.bindTo(registry);
        Limiter login = limiter("login");
        login.tryAcquire("k");
        metrics.bindTo(registry);
        assertThat(counted(registry)).isEqualTo(Map.of("login allowed local", 1));
        assertThat(metrics.listener("login")).isSameAs(metrics.listener("login"));
        limiter("login").tryAcquire("k");
        assertThat(counted(registry)).as("two limiters of one name").isEqualTo(Map.of("login allowed local", 2));
    }

    @Test
    void everyRegistryHasAllNumbersWhenItIsBound() {
        limiter("login").tryAcquire("k");
        metrics.bindTo(registry);
        MeterRegistry other = new SimpleMeterRegistry();
        metrics.bindTo(other);
        limiter("login").tryAcquire("k");
        assertThat(counted(registry))
                .isEqualTo(Map.of("login allowed local", 2))
                .isEqualTo(counted(other));
    }

    @Test
    void closingTakesTheMetersOutAndNothingElse() {
        registry.counter("mine").increment();
        metrics.bindTo(registry);
        Limiter login = limiter("login");
        login.tryAcquire("k");
        metrics.close();
        metrics.close();
        assertThat(registry.getMeters()).hasSize(1);
        login.tryAcquire("k");
        assertThat(registry.getMeters()).as("nothing comes back by itself").hasSize(1);
        MeterRegistry other = new SimpleMeterRegistry();
        metrics.bindTo(other);
        assertThat(counted(other)).isEqualTo(Map.of("login allowed local", 2));
    }

    @Test
    void namesAreBounded() {
        metrics.bindTo(registry);
        Decision decision = limiter("0").decide("k");
        for (int i = 0; i < 1500; i++) {
            metrics.listener("" + i).decided("k", decision);
        }
        assertThat(counted(registry)).hasSize(1001).containsEntry("other allowed local", 500);
        metrics.listener("7").decided("k", decision);
        assertThat(counted(registry)).as("a name that is known keeps its own").containsEntry("7 allowed local", 2);
    }

    @Test
    void nothingIsLostBetweenThreads() throws InterruptedException {
        Decision decision = limiter("other").decide("k");
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < 4; t++) {
            MeterRegistry own = t == 0 ? registry : new SimpleMeterRegistry();
            threads.add(new Thread(() -> {
                for (int i = 0; i < 10_000; i++) {
                    metrics.listener("n" + i % 50).decided("k", decision);
                    if (i == 5000) {
                        metrics.bindTo(own);
                    }
                }
            }));
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
        Map<String, Integer> counted = counted(registry);
        assertThat(counted).hasSize(51);
        assertThat(counted).containsEntry("n7 allowed local", 800);
    }

    @Test
    void aLimiterHasAName() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> metrics.listener(" "))
                .withMessageContaining("' '");
    }
}
