package dev.sluice.bench.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import dev.sluice.Limit;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** An open limiter allows and a shut one denies, a thousand times in a row. */
class PeersTest {
    @TestFactory
    Stream<DynamicTest> openAllows() {
        return each(
                Map.of(
                        "guava", () -> Peers.guavaOpen()::tryAcquire,
                        "bucket4j", () -> consuming(Peers.bucket4jOpen()),
                        "bucket4j nanos", () -> consuming(Peers.bucket4jNanosOpen()),
                        "bucket4j slow", () -> consuming(Peers.bucket4jSlow()),
                        "resilience4j", () -> Peers.resilience4jOpen()::acquirePermission,
                        "resilience4j slow", () -> Peers.resilience4jSlow()::acquirePermission,
                        "failsafe bursty", () -> Peers.failsafeBurstyOpen()::tryAcquirePermit,
                        "failsafe smooth", () -> Peers.failsafeSmoothOpen()::tryAcquirePermit,
                        "sentinel", () -> sentinel(Peers.SENTINEL_OPEN),
                        "sluice", () -> Sluices.slidingLogOpen()::tryAcquire),
                true);
    }

    @TestFactory
    Stream<DynamicTest> shutDenies() {
        return each(
                Map.of(
                        "guava", () -> Peers.guavaShut()::tryAcquire,
                        "bucket4j", () -> consuming(Peers.bucket4jShut()),
                        "resilience4j", () -> Peers.resilience4jShut()::acquirePermission,
                        "failsafe bursty", () -> Peers.failsafeBurstyShut()::tryAcquirePermit,
                        "failsafe smooth", () -> Peers.failsafeSmoothShut()::tryAcquirePermit,
                        "sentinel", () -> sentinel(Peers.SENTINEL_SHUT),
                        "sluice", () -> Sluices.shut(Limit.slidingLog(Sluices.LOG, Peers.DAY))::tryAcquire),
                false);
    }

    private static Stream<DynamicTest> each(Map<String, Supplier<BooleanSupplier>> limiters, boolean allowed) {
        return limiters.entrySet().stream()
                .map(entry -> dynamicTest(entry.getKey(), () -> {
                    BooleanSupplier limiter = entry.getValue().get();
                    for (int call = 0; call < 1000; call++) {
                        assertThat(limiter.getAsBoolean()).as("call %d", call).isEqualTo(allowed);
                    }
                }));
    }

    private static BooleanSupplier consuming(io.github.bucket4j.Bucket bucket) {
        return () -> bucket.tryConsume(1);
    }

    private static BooleanSupplier sentinel(String resource) {
        Peers.sentinelRules();
        return () -> Peers.sentinel(resource);
    }
}
