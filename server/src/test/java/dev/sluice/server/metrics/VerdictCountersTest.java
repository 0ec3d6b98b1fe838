package dev.sluice.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.sluice.Decision.Source;
import dev.sluice.Store;
import dev.sluice.rules.Request;
import dev.sluice.rules.Rule;
import dev.sluice.rules.RuleSet;
import dev.sluice.rules.Verdict;
import dev.sluice.rules.engine.RuleEngine;
import dev.sluice.rules.file.RuleFile;
import java.lang.management.ManagementFactory;
import java.util.Map;
import org.junit.jupiter.api.Test;

class VerdictCountersTest {
    private static final int CHECKS = 100_000;
    private static final DenialListener NOBODY = new DenialListener() {
        @Override
        public boolean isListening() {
            return false;
        }

        @Override
        public void denied(String rule, String key, String outcome, long retryAfterMillis) {
            throw new AssertionError("nobody listens");
        }
    };

    @Test
    void countingAllocatesNothing() {
        Request request = Request.of(Map.of("ip", "192.0.2.1", "path", "/login", "method", "POST"), 1);
        RuleSet rules = RuleFile.example();
        Verdict verdict = new RuleEngine(Store.local(), rules).check(request).join();
        assertThat(verdict.decisions()).hasSize(2);
        VerdictCounters counters = new VerdictCounters(NOBODY, Source.LOCAL);
        counters.rules(rules.rules().stream().map(Rule::name).toList());
        count(counters, request, verdict);
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        count(counters, request, verdict);
        long bytes = threads.getCurrentThreadAllocatedBytes() - before;
        assertThat(bytes).as("for " + CHECKS + " checks").isLessThan(CHECKS);
        assertThat(counters.allowed.sum()).isEqualTo(2 * CHECKS);
    }

    private static void count(VerdictCounters counters, Request request, Verdict verdict) {
        for (int i = 0; i < CHECKS; i++) {
            counters.decided(request, verdict);
            counters.took(i);
        }
    }
}
