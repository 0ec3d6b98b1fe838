package dev.sluice;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Far more waiting threads than carriers: if one of them held its carrier while it waits, this would not end. */
@EnabledForJreRange(min = JRE.JAVA_21)
@Timeout(120)
class VirtualThreadsTest {
    static Stream<Limit> limits() {
        return Stream.of(
                Limit.tokenBucket(20_000, ofSeconds(1)).burst(1),
                Limit.leakyBucket(20_000, ofSeconds(1)).capacity(5000).queue(),
                Limit.slidingLog(500, ofMillis(100)),
                Limit.concurrency(3));
    }

    @ParameterizedTest
    @MethodSource("limits")
    void thousandsWait(Limit limit) throws Exception {
        Limiter limiter = Limiter.local(limit);
        ExecutorService threads = virtualThreads();
        try {
            List<Future<Boolean>> turns = new ArrayList<>();
            for (int i = 0; i < 5000; i++) {
                String key = "k" + i % 3;
                turns.add(threads.submit(() -> {
                    try (Hold hold = limiter.hold(key, 1, ofSeconds(60))) {
                        return hold.allowed();
                    }
                }));
            }
            for (Future<Boolean> turn : turns) {
                assertThat(turn.get(60, TimeUnit.SECONDS)).isTrue();
            }
        } finally {
            threads.shutdownNow();
        }
    }

    /** The code is compiled for Java 17, which does not know them. */
    private static ExecutorService virtualThreads() throws ReflectiveOperationException {
        return (ExecutorService)
                Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
    }
}
