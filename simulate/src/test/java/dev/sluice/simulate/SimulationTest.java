package dev.sluice.simulate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Limit;
import dev.sluice.simulate.Traffic.Shape;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class SimulationTest {
    private static final Duration PERIOD = Duration.ofSeconds(10);
    private static final long PERIOD_MICROS = 10_000_000;

    /** 41 requests: ten just before and ten just after 10 s and 30 s, and one at 19.95 s. */
    @ParameterizedTest
    @CsvSource({
        "fixed-window,           30, 19",
        "fixed-window-aligned,   40, 20",
        "sliding-window,         20, 10",
        "sliding-window-weighted,21, 10",
        "sliding-log,            21, 10",
        "token-bucket,           21, 11",
        "leaky-bucket,           21, 11",
        "leaky-bucket-queue,     21, 10",
        "concurrency,            21, 11",
    })
    void theBoundaryAttack(String algorithm, long allowed, long worst) {
        Simulation simulation =
                Scenario.parse(Map.of("algorithm", algorithm)).run().get(0);
        assertThat(simulation.allowed()).isEqualTo(allowed);
        assertThat(simulation.denied()).isEqualTo(41 - allowed);
        assertThat(simulation.worst().admitted()).isEqualTo(worst);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "DRAWN")
    void noBoundIsBroken(Shape shape) {
        for (int seed = 0; seed < 20; seed++) {
            for (Simulation simulation : Scenario.parse(Map.of(
                            "traffic",
                            shape.text(),
                            "seed",
                            "" + seed,
                            "burst",
                            "15",
                            "capacity",
                            "7",
                            "rate",
                            "40/10s"))
                    .run()) {
                long bound = LimitSummary.of(simulation.limit()).bound();
                assertThat(simulation.mostUsed())
                        .isLessThanOrEqualTo(simulation.limit().capacity());
                assertThat(simulation.used()).allMatch(step -> step.value() >= 0);
                if (!(simulation.limit() instanceof Limit.Concurrency)) {
                    assertThat(simulation.worst().admitted())
                            .as("%s on %s, seed %d", simulation.limit(), shape, seed)
                            .isLessThanOrEqualTo(bound);
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "DRAWN")
    void theWorstPeriodIsWhatCountingByHandFinds(Shape shape) {
        for (Simulation simulation : Scenario.parse(Map.of("traffic", shape.text(), "rate", "30/10s"))
                .run()) {
            long[] starts = simulation.startsMicros();
            long worst = Arrays.stream(starts)
                    .map(end -> Arrays.stream(starts)
                            .filter(at -> at > end - PERIOD_MICROS && at <= end)
                            .count())
                    .max()
                    .orElseThrow();
            assertThat(simulation.worst().admitted()).isEqualTo(worst);
            long end = simulation.worst().endMicros();
            assertThat(Arrays.stream(starts).filter(at -> at > end - PERIOD_MICROS && at <= end))
                    .hasSize((int) worst);
        }
    }

    @Test
    void countsEveryRequestOnce() {
        for (Simulation simulation : Scenario.parse(Map.of("traffic", "burst")).run()) {
            assertThat(simulation.allowed() + simulation.denied())
                    .isEqualTo(simulation.traffic().arrivalsMicros().length);
            assertThat(simulation.events().stream().mapToLong(Simulation.Event::atMicros))
                    .containsExactlyElementsOf(
                            Arrays.stream(simulation.traffic().arrivalsMicros())
                                    .boxed()
                                    .toList());
        }
    }

    @Test
    void theQueueStartsWorkOneAtATime() {
        Simulation simulation = Scenario.parse(Map.of("algorithm", "leaky-bucket-queue", "traffic", "flash-sale"))
                .run()
                .get(0);
        long[] starts = simulation.startsMicros();
        for (int i = 1; i < starts.length; i++) {
            assertThat(starts[i] - starts[i - 1]).isGreaterThanOrEqualTo(1_000_000);
        }
        assertThat(simulation.longestDelayMicros()).isBetween(8_000_000L, 10_000_000L);
    }

    @Test
    void workThatIsDoneFreesItsPermit() {
        Traffic traffic = new Traffic(new long[] {0, 1, 2, 1_000_000, 1_000_001, 1_000_002}, 3_000_000);
        Simulation simulation = Simulation.run(Limit.concurrency(2), PERIOD, traffic, Duration.ofSeconds(1));
        assertThat(simulation.events().stream().map(Simulation.Event::allowed))
                .containsExactly(true, true, false, true, true, false);
        assertThat(simulation.mostUsed()).isEqualTo(2);
        assertThat(simulation.used().get(simulation.used().size() - 1)).isEqualTo(new Simulation.Step(2_000_001, 0));
    }

    @Test
    void windowsAreWhereTheDecisionsSayTheyEnd() {
        Traffic traffic = new Traffic(new long[] {3_000_000, 12_999_999, 14_000_000}, 30_000_000);
        Limit.FixedWindow window = Limit.fixedWindow(5, PERIOD);
        assertThat(windows(window, traffic)).containsExactly(13_000_000L, 24_000_000L);
        assertThat(windows(window.aligned(), traffic)).containsExactly(10_000_000L, 20_000_000L);
        assertThat(windows(Limit.slidingLog(5, PERIOD), traffic)).isEmpty();
    }

    /** A step earlier than a permit leaves, all of it counts; at that instant, one less. */
    @Test
    void theUsedCurveOfALog() {
        Traffic traffic = new Traffic(new long[] {1_000_000, 4_000_000}, 12_000_000);
        Simulation simulation = Simulation.run(Limit.slidingLog(3, PERIOD), PERIOD, traffic, Duration.ofSeconds(1));
        assertThat(simulation.used())
                .containsExactly(
                        new Simulation.Step(0, 0),
                        new Simulation.Step(1_000_000, 1),
                        new Simulation.Step(4_000_000, 2),
                        new Simulation.Step(11_000_000, 1));
        assertThat(simulation.startedInPeriod())
                .containsExactly(
                        new Simulation.Step(1_000_000, 1),
                        new Simulation.Step(4_000_000, 2),
                        new Simulation.Step(11_000_000, 1),
                        new Simulation.Step(14_000_000, 0));
    }

    private static List<Long> windows(Limit limit, Traffic traffic) {
        return Simulation.run(limit, PERIOD, traffic, Duration.ofSeconds(1)).windowEndsMicros();
    }
}
