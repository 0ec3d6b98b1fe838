package dev.sluice.server.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.sluice.rules.Request;
import dev.sluice.rules.Verdict;
import io.vertx.core.Vertx;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class VerdictCountersTest {
    private static final int CHECKS = 100_000;

    @Test
    void countingAllocatesNothing() {
        Request request = Request.of(Map.of("ip", "192.0.2.1", "path", "/login"), 1);
        Vertx vertx = Vertx.vertx();
        Verdict verdict;
        try (TestAdmin admin = TestAdmin.start()) {
            verdict = admin.engine.check(request).join();
        }
        VerdictCounters counters = new VerdictCounters(new EventStream(vertx));
        counters.byRule.rules(List.of("login-per-ip", "everything"));
        count(counters, request, verdict);
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        count(counters, request, verdict);
        long bytes = threads.getCurrentThreadAllocatedBytes() - before;
        assertThat(bytes).as("for " + CHECKS + " checks").isLessThan(CHECKS);
        assertThat(counters.allowed.sum()).isEqualTo(2 * CHECKS);
        vertx.close().toCompletionStage().toCompletableFuture().join();
    }

    private static void count(VerdictCounters counters, Request request, Verdict verdict) {
        for (int i = 0; i < CHECKS; i++) {
            counters.decided(request, verdict);
            counters.latency.record(i);
        }
    }
}
