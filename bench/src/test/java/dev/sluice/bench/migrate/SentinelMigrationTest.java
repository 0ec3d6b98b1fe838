package dev.sluice.bench.migrate;

import static org.assertj.core.api.Assertions.assertThat;

import com.alibaba.csp.sentinel.Entry;
import com.alibaba.csp.sentinel.SphU;
import com.alibaba.csp.sentinel.node.StatisticNode;
import com.alibaba.csp.sentinel.slots.block.BlockException;
import com.alibaba.csp.sentinel.slots.block.RuleConstant;
import com.alibaba.csp.sentinel.slots.block.flow.FlowRule;
import com.alibaba.csp.sentinel.slots.block.flow.FlowRuleManager;
import com.alibaba.csp.sentinel.slots.block.flow.controller.DefaultController;
import com.alibaba.csp.sentinel.slots.block.flow.controller.ThrottlingController;
import com.alibaba.csp.sentinel.slots.statistic.metric.BucketLeapArray;
import dev.sluice.Decision;
import dev.sluice.Hold;
import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.ManualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

/** docs/migrate/sentinel.md. */
class SentinelMigrationTest {
    private final ManualClock clock = new ManualClock();

    @Test
    @SuppressWarnings("try") // as one writes it with Sentinel
    void before() {
        FlowRule rule = new FlowRule("orders").setCount(20).setGrade(RuleConstant.FLOW_GRADE_QPS);
        FlowRuleManager.loadRules(List.of(rule));
        String answer;
        try (Entry entry = SphU.entry("orders")) {
            answer = order("tea");
        } catch (BlockException e) {
            answer = "too many orders";
        }
        assertThat(answer).isEqualTo("ordered tea");
    }

    @Test
    void after() {
        Limiter orders = Limiter.local(Limit.slidingWindow(20, Duration.ofSeconds(1)));
        String answer = orders.call(() -> order("tea"), denied -> "too many orders");
        assertThat(answer).isEqualTo("ordered tea");
    }

    private static String order(String item) {
        return "ordered " + item;
    }

    /** Sentinel's window of two halves of a second and its check, at the time of a clock. Its own clock cannot be set. */
    private final class Sentinel extends StatisticNode {
        private final BucketLeapArray window = new BucketLeapArray(2, 1000);
        private final DefaultController check;

        Sentinel(double count) {
            this.check = new DefaultController(count, RuleConstant.FLOW_GRADE_QPS);
        }

        @Override
        public double passQps() {
            long now = Duration.ofNanos(clock.nanos()).toMillis();
            window.currentWindow(now);
            return window.values(now).stream().mapToLong(half -> half.pass()).sum();
        }

        boolean enter(int permits) {
            boolean allowed = check.canPass(this, permits);
            if (allowed) {
                window.currentWindow(Duration.ofNanos(clock.nanos()).toMillis())
                        .value()
                        .addPass(permits);
            }
            return allowed;
        }
    }

    /** The page: two halves of a second count in full, so the window that is kept is half a second long. */
    @Test
    void itsWindowIsAStrictOneOfHalfASecond() {
        Sentinel sentinel = new Sentinel(10);
        Limiter limiter = Limiter.local(clock, Limit.slidingWindow(10, Duration.ofMillis(500), 1));
        Random random = new Random(7);
        int denied = 0;
        for (int request = 0; request < 5000; request++) {
            clock.advance(Duration.ofMillis(random.nextInt(150)));
            int cost = 1 + random.nextInt(3);
            boolean allowed = sentinel.enter(cost);
            assertThat(limiter.tryAcquire(cost)).as("request %s", request).isEqualTo(allowed);
            denied += allowed ? 0 : 1;
        }
        assertThat(denied).isBetween(500, 4500);
    }

    /** The page: up to twice the count within a second. */
    @Test
    void twiceTheCountPassesWithinASecondAndNotInAStrictWindow() {
        Sentinel sentinel = new Sentinel(10);
        Limiter limiter = Limiter.local(clock, Limit.slidingWindow(10, Duration.ofSeconds(1)));
        clock.advance(Duration.ofMillis(499));
        assertThat(sentinel.enter(10)).isTrue();
        assertThat(limiter.tryAcquire(10)).isTrue();
        clock.advance(Duration.ofMillis(501));
        assertThat(sentinel.enter(10)).as("501 ms later").isTrue();
        assertThat(limiter.tryAcquire(1)).isFalse();
        clock.advance(Duration.ofMillis(600));
        assertThat(limiter.tryAcquire(10)).as("a second and a slice later").isTrue();
    }

    /** The page: a queue. Sentinel's runs on the real clock, and its callers sleep. */
    @Test
    void aThrottlingRuleIsAQueue() {
        ThrottlingController throttling = new ThrottlingController(1000, 2);
        ExecutorService callers = Executors.newFixedThreadPool(4);
        List<CompletableFuture<Boolean>> entered = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            entered.add(CompletableFuture.supplyAsync(() -> throttling.canPass(new StatisticNode(), 1), callers));
        }
        assertThat(entered.stream().map(CompletableFuture::join)).containsExactlyInAnyOrder(true, true, true, false);
        callers.shutdown();

        Limiter queue = Limiter.local(
                clock, Limit.leakyBucket(2, Duration.ofSeconds(1)).capacity(3).queue());
        assertThat(List.of(queue.decide(), queue.decide(), queue.decide()))
                .allMatch(Decision::allowed)
                .extracting(Decision::delay)
                .containsExactly(Duration.ZERO, Duration.ofMillis(500), Duration.ofSeconds(1));
        assertThat(queue.decide().allowed()).isFalse();
    }

    @Test
    void aRuleOnThreadsIsAHold() throws Exception {
        FlowRuleManager.loadRules(List.of(new FlowRule("export").setCount(2).setGrade(RuleConstant.FLOW_GRADE_THREAD)));
        Limiter limiter = Limiter.local(Limit.concurrency(2));
        try (Entry first = SphU.entry("export");
                Hold one = limiter.hold()) {
            assertThat(one.allowed()).isEqualTo(first != null);
            try (Entry second = SphU.entry("export");
                    Hold two = limiter.hold()) {
                assertThat(two.allowed()).isEqualTo(second != null);
                assertThat(enters("export")).isFalse();
                assertThat(limiter.hold().allowed()).isFalse();
            }
            assertThat(enters("export")).isTrue();
            try (Hold again = limiter.hold()) {
                assertThat(again.allowed()).isTrue();
            }
        }
    }

    private static boolean enters(String resource) {
        try (Entry entry = SphU.entry(resource)) {
            return entry != null;
        } catch (BlockException denied) {
            return false;
        }
    }
}
