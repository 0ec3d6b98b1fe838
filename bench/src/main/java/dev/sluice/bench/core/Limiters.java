package dev.sluice.bench.core;

import com.alibaba.csp.sentinel.Entry;
import com.alibaba.csp.sentinel.SphU;
import com.alibaba.csp.sentinel.slots.block.BlockException;
import com.alibaba.csp.sentinel.slots.block.flow.FlowRule;
import com.alibaba.csp.sentinel.slots.block.flow.FlowRuleManager;
import com.google.common.util.concurrent.RateLimiter;
import dev.sluice.Limit;
import dev.sluice.Limiter;
import io.github.bucket4j.Bucket;
import io.github.bucket4j.local.LocalBucketBuilder;
import io.github.resilience4j.ratelimiter.internal.AtomicRateLimiter;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;

/** Makes every limiter that takes part, with any supply. */
final class Limiters {
    /** The permits of a sliding log, here and in the memory figures. */
    static final int LOG = 1000;

    static final String SENTINEL_OPEN = "open";
    static final String SENTINEL_SHUT = "shut";

    private static final int MAX_CALLS_TO_EXHAUST = 100_000;

    private Limiters() {}

    static Limiter sluice(Contender contender, Supply supply) {
        Limiter limiter = Limiter.local(limits(contender, supply));
        exhaust(contender, supply, limiter::tryAcquire);
        return limiter;
    }

    static Limit[] limits(Contender contender, Supply supply) {
        Limit tokenBucket = Limit.tokenBucket(supply.refill, supply.period).burst(supply.permits);
        return switch (contender) {
            case FIXED_WINDOW -> new Limit[] {Limit.fixedWindow(supply.permits, supply.period)};
            case TOKEN_BUCKET -> new Limit[] {tokenBucket};
            case LEAKY_BUCKET -> new Limit[] {Limit.leakyBucket(supply.permits, supply.period)};
            case SLIDING_WINDOW -> new Limit[] {Limit.slidingWindow(supply.permits, supply.period)};
            // A log keeps every permit, so it is open by a short period: 1,000 in 5 µs are 200 million a second.
            case SLIDING_LOG ->
                new Limit[] {Limit.slidingLog(LOG, supply == Supply.OPEN ? Duration.ofNanos(5000) : supply.period)};
            case COMPOSITE -> new Limit[] {tokenBucket, Limit.fixedWindow(1_000_000L * supply.permits, Supply.DAY)};
            default -> throw new IllegalArgumentException(contender + " is not Sluice's");
        };
    }

    /** A rate is all there is to set. It saves up one second's worth. */
    static RateLimiter guava(Supply supply) {
        Supply set = supply == Supply.SLOW ? Supply.OPEN : supply;
        RateLimiter limiter = RateLimiter.create((double) set.permits / set.period.toSeconds());
        exhaust(Contender.GUAVA, supply, limiter::tryAcquire);
        return limiter;
    }

    /** Local and lock-free, which is its default; so is a clock of milliseconds, beside which nanoseconds are measured. */
    static Bucket bucket4j(Contender contender, Supply supply) {
        LocalBucketBuilder builder = Bucket.builder().addLimit(supply.bandwidth);
        Bucket bucket = contender == Contender.BUCKET4J_NANOS
                ? builder.withNanosecondPrecision().build()
                : builder.build();
        exhaust(contender, supply, () -> bucket.tryConsume(1));
        return bucket;
    }

    static AtomicRateLimiter resilience4j(Supply supply) {
        AtomicRateLimiter limiter = new AtomicRateLimiter("bench", supply.resilience4j);
        exhaust(Contender.RESILIENCE4J, supply, limiter::acquirePermission);
        return limiter;
    }

    static dev.failsafe.RateLimiter<Object> failsafe(Contender contender, Supply supply) {
        dev.failsafe.RateLimiter<Object> limiter = contender == Contender.FAILSAFE_BURSTY
                ? dev.failsafe.RateLimiter.burstyBuilder(supply.permits, supply.period)
                        .build()
                : dev.failsafe.RateLimiter.smoothBuilder(supply.permits, supply.period)
                        .build();
        exhaust(contender, supply, limiter::tryAcquirePermit);
        return limiter;
    }

    /** Loads the rules of Sentinel: one on each resource. Its window is a second, so a shut one has a limit of zero. */
    static void loadSentinelRules() {
        PrintStream out = System.out;
        PrintStream err = System.err;
        PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);
        System.setOut(nowhere); // its words of welcome would end up in the middle of a table
        System.setErr(nowhere);
        try {
            FlowRuleManager.loadRules(List.of(
                    new FlowRule(SENTINEL_OPEN).setCount(Supply.OPEN.permits),
                    new FlowRule(SENTINEL_SHUT).setCount(0)));
        } finally {
            System.setOut(out);
            System.setErr(err);
        }
    }

    static boolean sentinel(String resource) {
        try (Entry entered = SphU.entry(resource)) {
            return entered != null;
        } catch (BlockException denied) {
            return false;
        }
    }

    /** Takes all that a shut limiter has. */
    private static void exhaust(Contender contender, Supply supply, BooleanSupplier limiter) {
        int taken = 0;
        while (supply == Supply.SHUT && limiter.getAsBoolean()) {
            if (++taken > MAX_CALLS_TO_EXHAUST) {
                throw new IllegalStateException(contender.label + " still allows after " + taken + " calls");
            }
        }
    }
}
