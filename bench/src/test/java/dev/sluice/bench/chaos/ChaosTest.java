package dev.sluice.bench.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.redis.servers.RedisBinary;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;

/** Every fault in its short form: no call is late, none throws, and nothing is admitted beyond the bound. */
@Tag("full")
class ChaosTest {
    private static final List<CallerResult> RESULTS = new ArrayList<>();
    private static Stalls stalls;

    @BeforeAll
    static void warmUp() {
        stalls = new Stalls();
        Chaos.warmUp(stalls);
    }

    @AfterAll
    static void tell() {
        System.out.print(ChaosReport.of(RESULTS, Schedule.SHORT, RedisBinary.standard(), stalls));
        stalls.close();
    }

    @TestFactory
    Stream<DynamicTest> everyBoundHolds() {
        return Chaos.scenarios(Schedule.SHORT).stream()
                .map(scenario -> DynamicTest.dynamicTest(scenario.name(), () -> {
                    List<CallerResult> results = scenario.run(Schedule.SHORT, stalls);
                    RESULTS.addAll(results);
                    assertThat(results.stream().flatMap(result -> result.breaches().stream()))
                            .isEmpty();
                }));
    }
}
