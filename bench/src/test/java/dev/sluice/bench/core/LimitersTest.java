package dev.sluice.bench.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import dev.sluice.Limiter;
import dev.sluice.bench.core.Contender.Library;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** An open limiter allows and a shut one denies, a thousand times in a row. */
class LimitersTest {
    @TestFactory
    Stream<DynamicTest> openAllows() {
        return each(Group.ALLOWED, Supply.OPEN, true);
    }

    @TestFactory
    Stream<DynamicTest> slowAllows() {
        return each(Group.KEYED, Supply.SLOW, true);
    }

    @TestFactory
    Stream<DynamicTest> shutDenies() {
        return each(Group.DENIED, Supply.SHUT, false);
    }

    private static Stream<DynamicTest> each(Group group, Supply supply, boolean allowed) {
        return group.contenders.stream()
                .filter(contender -> contender.library != Library.FLOOR)
                .map(contender -> dynamicTest(contender.label, () -> {
                    BooleanSupplier limiter = limiter(contender, supply);
                    for (int call = 0; call < 1000; call++) {
                        assertThat(limiter.getAsBoolean()).as("call %d", call).isEqualTo(allowed);
                    }
                }));
    }

    private static BooleanSupplier limiter(Contender contender, Supply supply) {
        return switch (contender.library) {
            case FLOOR -> throw new IllegalArgumentException("not a limiter");
            case SLUICE -> {
                Limiter limiter = Limiters.sluice(contender, supply);
                yield limiter::tryAcquire;
            }
            case BUCKET4J -> {
                var bucket = Limiters.bucket4j(contender, supply);
                yield () -> bucket.tryConsume(1);
            }
            case FAILSAFE -> Limiters.failsafe(contender, supply)::tryAcquirePermit;
            case GUAVA -> Limiters.guava(supply)::tryAcquire;
            case RESILIENCE4J -> Limiters.resilience4j(supply)::acquirePermission;
            case SENTINEL -> {
                Limiters.loadSentinelRules();
                String resource = supply == Supply.SHUT ? Limiters.SENTINEL_SHUT : Limiters.SENTINEL_OPEN;
                yield () -> Limiters.sentinel(resource);
            }
        };
    }
}
