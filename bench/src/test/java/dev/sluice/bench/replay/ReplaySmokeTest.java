package dev.sluice.bench.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import dev.sluice.bench.replay.ReplayBench.Figure;
import dev.sluice.bench.report.Effort;
import dev.sluice.bench.report.Measurements;
import java.util.Arrays;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;

/** Every program still goes through a log and counts each of its lines. How long it takes is not looked at. */
@Tag("full")
class ReplaySmokeTest {
    private static final Measurements FIGURES = new Measurements();
    private static ReplayBench bench;

    @BeforeAll
    static void start() {
        bench = new ReplayBench(Effort.SMOKE, FIGURES);
    }

    @AfterAll
    static void stop() {
        bench.close();
    }

    @TestFactory
    Stream<DynamicTest> everyProgramCountsTheLog() {
        return Stream.concat(
                bench.steps(Pattern.compile("")).stream()
                        .map(step -> dynamicTest(step.label(), () -> step.work().get())),
                Stream.of(dynamicTest("figures", ReplaySmokeTest::everyFigureIsThere)));
    }

    private static void everyFigureIsThere() {
        Arrays.stream(LogReader.values()).filter(LogReader::isThere).forEach(reader -> {
            assertThat(FIGURES.median(reader, Figure.PER_SECOND))
                    .as(reader.label)
                    .hasValueSatisfying(figure -> assertThat(figure).isPositive());
            assertThat(FIGURES.median(reader, Figure.CPU_MICROS))
                    .as(reader.label)
                    .isPresent();
        });
        String table = ReplayBenchReport.of(FIGURES, Effort.SMOKE).body();
        for (LogReader reader : LogReader.values()) {
            assertThat(table).contains("| " + reader.label).contains(reader.missing());
        }
    }
}
