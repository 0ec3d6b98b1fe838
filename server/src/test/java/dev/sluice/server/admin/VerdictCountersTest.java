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

class TelemetryTest {
    private static final int CHECKS = 100_000;

    @Test
    void countingAllocatesNothing() {
        Request request = Request.of(Map.of("ip", "192.0.2.1", "path", "/login"), 1);
        Vertx vertx = Vertx.vertx();
        Verdict verdict;
        try (TestAdmin admin = TestAdmin.start()) {
            verdict = admin.engine.check(request).join();
        }
        Telemetry telemetry = new Telemetry(new EventStream(vertx));
        telemetry.byRule.rules(List.of("login-per-ip", "everything"));
        count(telemetry, request, verdict);
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        count(telemetry, request, verdict);
        long bytes = threads.getCurrentThreadAllocatedBytes() - before;
        assertThat(bytes).as("for " + CHECKS + " checks").isLessThan(CHECKS);
        assertThat(telemetry.allowed.sum()).isEqualTo(2 * CHECKS);
        vertx.close().toCompletionStage().toCompletableFuture().join();
    }

    private static void count(Telemetry telemetry, Request request, Verdict verdict) {
        for (int i = 0; i < CHECKS; i++) {
            telemetry.decided(request, verdict);
            telemetry.latency.took(i);
        }
    }
}
