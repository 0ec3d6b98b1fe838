package dev.sluice.bench.redis;

import static org.junit.jupiter.api.DynamicTest.dynamicTest;

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
    private static Server server;
    private static Steps steps;

    @BeforeAll
    static void start() {
        server = Server.start();
        steps = new Steps(server, Effort.SMOKE, Pattern.compile(""), new Figures());
    }

    @AfterAll
    static void stop() {
        steps.close();
        server.close();
    }

    @TestFactory
    Stream<DynamicTest> everyBenchmarkTakesItsPath() {
        return RedisBench.inOrder(steps, Effort.SMOKE).stream()
                .map(step -> dynamicTest(step.label(), () -> step.work().get()));
    }
}
