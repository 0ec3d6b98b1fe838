package dev.sluice.bench.redis;

import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import dev.sluice.bench.report.Effort;
import dev.sluice.bench.report.Measurements;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;

/** Every benchmark on Redis still runs and every call in it takes the path it says. No times are looked at. */
@Tag("full")
class RedisSmokeTest {
    private static RedisBench bench;

    @BeforeAll
    static void start() {
        bench = new RedisBench(Effort.SMOKE, new Measurements());
    }

    @AfterAll
    static void stop() {
        bench.close();
    }

    @TestFactory
    Stream<DynamicTest> everyBenchmarkTakesItsPath() {
        return bench.steps(Pattern.compile("")).stream()
                .map(step -> dynamicTest(step.label(), () -> step.work().get()));
    }
}
