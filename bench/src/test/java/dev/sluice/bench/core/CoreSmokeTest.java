package dev.sluice.bench.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Every benchmark still runs and every call in it takes the path it says. No times are looked at. */
class CoreSmokeTest {
    @BeforeAll
    static void fewKeys() {
        System.setProperty(Keys.COUNT_PROPERTY, "1000");
    }

    @AfterAll
    static void manyKeys() {
        System.clearProperty(Keys.COUNT_PROPERTY);
    }

    @TestFactory
    Stream<DynamicTest> everyBenchmarkTakesItsPath() {
        return SpeedRow.all().stream()
                .map(row -> dynamicTest(row.toString(), () -> row.jmh().smoke()));
    }

    @TestFactory
    Stream<DynamicTest> everyMemoryProbeFillsWhatItMeasures() {
        return Arrays.stream(MemoryProbe.values())
                .filter(probe -> probe.kind != MemoryProbe.Kind.IDLE)
                .map(probe -> dynamicTest(
                        probe.toString(),
                        () -> assertThat(probe.fill(Keys.create(20))).isNotNull()));
    }

    @TestFactory
    Stream<DynamicTest> everyWaitQueueIsJoinedAndLeft() {
        return Arrays.stream(QueueProbe.values())
                .map(probe -> dynamicTest(
                        probe.toString(),
                        () -> assertThat(probe.measure(300)).containsKeys(QueueProbe.JOIN, QueueProbe.LEAVE)));
    }

    @Test
    void idleProbeEnds() {
        assertThat(MemoryProbe.idle(1000)).containsKeys(MemoryProbe.EMPTY, MemoryProbe.PEAK, MemoryProbe.AFTER);
    }
}
