package dev.sluice.bench.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import dev.sluice.bench.report.Effort;
import dev.sluice.bench.report.Measurements;
import dev.sluice.bench.server.ServerBench.Figure;
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
    private static final Measurements FIGURES = new Measurements();
    private static ServerBench bench;

    @BeforeAll
    static void start() {
        List<Tools> missing = Tools.missing();
        Assumptions.assumeTrue(missing.isEmpty(), () -> missing + " not here; ./verify installs them");
        bench = new ServerBench(Effort.SMOKE, FIGURES);
    }

    @AfterAll
    static void stop() {
        if (bench != null) {
            bench.close();
        }
    }

    @TestFactory
    Stream<DynamicTest> everyBenchmarkGivesFigures() {
        return Stream.concat(
                bench.steps(Pattern.compile("")).stream()
                        .map(step -> dynamicTest(step.label(), () -> step.work().get())),
                Stream.of(dynamicTest("figures", ServerSmokeTest::everyFigureIsThere)));
    }

    private static void everyFigureIsThere() {
        for (ServerRow row : ServerRow.values()) {
            assertThat(FIGURES.median(row, Figure.PER_SECOND))
                    .as(row.label)
                    .hasValueSatisfying(ServerSmokeTest::positive);
            if (row != ServerRow.RAW_REDIS) {
                assertThat(FIGURES.median(row, Figure.CPU_MICROS))
                        .as(row.label)
                        .hasValueSatisfying(ServerSmokeTest::positive);
            }
        }
        for (ServerRow row : ServerRow.PACED) {
            assertThat(FIGURES.median(row, Figure.P99_MICROS))
                    .as(row.label)
                    .hasValueSatisfying(ServerSmokeTest::positive);
        }
        for (ServerKind server : ServerKind.STARTED) {
            assertThat(FIGURES.median(server, Figure.START_MILLIS))
                    .as(server.label)
                    .hasValueSatisfying(ServerSmokeTest::positive);
            assertThat(FIGURES.median(server, Figure.IDLE_MEGABYTES))
                    .as(server.label)
                    .hasValueSatisfying(ServerSmokeTest::positive);
        }
        assertThat(ServerReport.of(FIGURES, Effort.SMOKE).targets())
                .noneMatch(target -> target.measured().isEmpty());
    }

    private static void positive(double figure) {
        assertThat(figure).isPositive();
    }
}
