package dev.sluice.bench.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import dev.sluice.bench.server.Figures.What;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;

/** Every benchmark of the server still runs and gives figures. How good they are is not looked at. */
@Tag("full")
class ServerSmokeTest {
    private static final Figures FIGURES = new Figures();
    private static Steps steps;

    @BeforeAll
    static void start() {
        List<Tools> missing = Tools.missing();
        Assumptions.assumeTrue(missing.isEmpty(), () -> missing + " not here; ./verify installs them");
        steps = new Steps(Effort.SMOKE, Pattern.compile(""), FIGURES);
    }

    @AfterAll
    static void stop() {
        if (steps != null) {
            steps.close();
        }
    }

    @TestFactory
    Stream<DynamicTest> everyBenchmarkGivesFigures() {
        return Stream.concat(
                ServerBench.inOrder(steps, Effort.SMOKE).stream()
                        .map(step -> dynamicTest(step.label(), () -> step.work().get())),
                Stream.of(dynamicTest("figures", ServerSmokeTest::everyFigureIsThere)));
    }

    private static void everyFigureIsThere() {
        for (Row row : Row.values()) {
            assertThat(FIGURES.median(row, What.PER_SECOND))
                    .as(row.label)
                    .hasValueSatisfying(ServerSmokeTest::positive);
            if (row != Row.RAW_REDIS) {
                assertThat(FIGURES.median(row, What.CPU_MICROS))
                        .as(row.label)
                        .hasValueSatisfying(ServerSmokeTest::positive);
            }
        }
        for (Row row : Row.PACED) {
            assertThat(FIGURES.median(row, What.P99_MICROS))
                    .as(row.label)
                    .hasValueSatisfying(ServerSmokeTest::positive);
        }
        for (Party party : Party.STARTED) {
            assertThat(FIGURES.median(party, What.START_MILLIS))
                    .as(party.label)
                    .hasValueSatisfying(ServerSmokeTest::positive);
            assertThat(FIGURES.median(party, What.IDLE_MEGABYTES))
                    .as(party.label)
                    .hasValueSatisfying(ServerSmokeTest::positive);
        }
        assertThat(ServerTargets.of(FIGURES))
                .noneMatch(target -> target.measured().isEmpty());
    }

    private static void positive(double figure) {
        assertThat(figure).isPositive();
    }
}
