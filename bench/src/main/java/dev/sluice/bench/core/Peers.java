package dev.sluice.bench.core;

import com.alibaba.csp.sentinel.Entry;
import com.alibaba.csp.sentinel.SphU;
import com.alibaba.csp.sentinel.slots.block.BlockException;
import com.alibaba.csp.sentinel.slots.block.flow.FlowRule;
import com.alibaba.csp.sentinel.slots.block.flow.FlowRuleManager;
import io.github.bucket4j.Bandwidth;
import io.github.bucket4j.Bucket;
import io.github.resilience4j.ratelimiter.RateLimiterConfig;
import io.github.resilience4j.ratelimiter.internal.AtomicRateLimiter;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * Every peer, set up three ways: <em>open</em> never denies (a billion a second), <em>shut</em> never allows (one a
 * day, and that one taken), and <em>slow</em> never denies within a run and yet is never as good as new either (a
 * hundred thousand, which come back over days): the state of a key in use, which nobody may drop.
 */
final class Peers {
    static final int MANY = 1_000_000_000;
    static final int PLENTY = 100_000;
    static final Duration SECOND = Duration.ofSeconds(1);
    static final Duration DAY = Duration.ofDays(1);

    private static final Bandwidth SLOW_BANDWIDTH =
            Bandwidth.builder().capacity(PLENTY).refillGreedy(1, DAY).build();
    private static final RateLimiterConfig SLOW_RESILIENCE = resilienceConfig(PLENTY, DAY);

    private Peers() {}

    // ---- Guava: saves up one second's worth; a rate is all there is to set.

    static com.google.common.util.concurrent.RateLimiter guavaOpen() {
        return com.google.common.util.concurrent.RateLimiter.create(MANY);
    }

    static com.google.common.util.concurrent.RateLimiter guavaShut() {
        var limiter = com.google.common.util.concurrent.RateLimiter.create(1.0 / DAY.toSeconds());
        exhaust("guava", limiter::tryAcquire);
        return limiter;
    }

    // ---- Bucket4j: local, lock-free (its default); its default clock has milliseconds, the other has nanoseconds.

    static Bucket bucket4jOpen() {
        return Bucket.builder()
                .addLimit(limit -> limit.capacity(MANY).refillGreedy(MANY, SECOND))
                .build();
    }

    static Bucket bucket4jNanosOpen() {
        return Bucket.builder()
                .withNanosecondPrecision()
                .addLimit(limit -> limit.capacity(MANY).refillGreedy(MANY, SECOND))
                .build();
    }

    static Bucket bucket4jShut() {
        Bucket bucket = Bucket.builder()
                .addLimit(limit -> limit.capacity(1).refillGreedy(1, DAY))
                .build();
        exhaust("bucket4j", () -> bucket.tryConsume(1));
        return bucket;
    }

    static Bucket bucket4jSlow() {
        return Bucket.builder().addLimit(SLOW_BANDWIDTH).build();
    }

    // ---- Resilience4j: answers at once only with a timeout of zero.

    static AtomicRateLimiter resilience4jOpen() {
        return new AtomicRateLimiter("open", resilienceConfig(MANY, SECOND));
    }

    static AtomicRateLimiter resilience4jShut() {
        var limiter = new AtomicRateLimiter("shut", resilienceConfig(1, DAY));
        exhaust("resilience4j", limiter::acquirePermission);
        return limiter;
    }

    static AtomicRateLimiter resilience4jSlow() {
        return new AtomicRateLimiter("slow", SLOW_RESILIENCE);
    }

    private static RateLimiterConfig resilienceConfig(int permits, Duration period) {
        return RateLimiterConfig.custom()
                .limitForPeriod(permits)
                .limitRefreshPeriod(period)
                .timeoutDuration(Duration.ZERO)
                .build();
    }

    // ---- Failsafe

    static dev.failsafe.RateLimiter<Object> failsafeBurstyOpen() {
        return dev.failsafe.RateLimiter.burstyBuilder(MANY, SECOND).build();
    }

    static dev.failsafe.RateLimiter<Object> failsafeBurstyShut() {
        var limiter = dev.failsafe.RateLimiter.burstyBuilder(1, DAY).build();
        exhaust("failsafe bursty", limiter::tryAcquirePermit);
        return limiter;
    }

    static dev.failsafe.RateLimiter<Object> failsafeSmoothOpen() {
        return dev.failsafe.RateLimiter.smoothBuilder(MANY, SECOND).build();
    }

    static dev.failsafe.RateLimiter<Object> failsafeSmoothShut() {
        var limiter = dev.failsafe.RateLimiter.smoothBuilder(1, DAY).build();
        exhaust("failsafe smooth", limiter::tryAcquirePermit);
        return limiter;
    }

    // ---- Sentinel: one rule on one resource. Its window is a second, so a shut one has a limit of zero.

    static final String SENTINEL_OPEN = "open";
    static final String SENTINEL_SHUT = "shut";

    /** Loads the rules; Sentinel's words of welcome would end up in the middle of a table. */
    static void sentinelRules() {
        PrintStream out = System.out;
        PrintStream err = System.err;
        PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);
        System.setOut(nowhere);
        System.setErr(nowhere);
        try {
            loadSentinelRules();
        } finally {
            System.setOut(out);
            System.setErr(err);
        }
    }

    private static void loadSentinelRules() {
        FlowRuleManager.loadRules(
                List.of(new FlowRule(SENTINEL_OPEN).setCount(MANY), new FlowRule(SENTINEL_SHUT).setCount(0)));
    }

    static boolean sentinel(String resource) {
        try (Entry entered = SphU.entry(resource)) {
            return entered != null;
        } catch (BlockException denied) {
            return false;
        }
    }

    /** Takes whatever there is to take. */
    static void exhaust(String name, BooleanSupplier limiter) {
        for (int taken = 0; taken <= PLENTY; taken++) {
            if (!limiter.getAsBoolean()) {
                return;
            }
        }
        throw new IllegalStateException(name + " was to be exhausted and still allows after " + PLENTY + " calls");
    }
}
