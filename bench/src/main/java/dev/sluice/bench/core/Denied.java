package dev.sluice.bench.core;

import dev.sluice.Limit;
import dev.sluice.Limiter;
import io.github.bucket4j.Bucket;
import io.github.resilience4j.ratelimiter.internal.AtomicRateLimiter;
import java.util.concurrent.atomic.AtomicLong;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** One exhausted limiter shared by every thread, and every call denied: what an attack costs. */
public class Denied {
    @State(Scope.Benchmark)
    public static class FloorState {
        final AtomicLong closedUntil = new AtomicLong(System.nanoTime() + Peers.DAY.toNanos());
    }

    @Benchmark
    public boolean floorClockRead(FloorState state) {
        return Expect.denied(Floors.clockRead(state.closedUntil));
    }

    // ---- Sluice

    @State(Scope.Benchmark)
    public static class FixedWindow {
        final Limiter limiter = Sluices.shut(Limit.fixedWindow(1, Peers.DAY));
    }

    @Benchmark
    public boolean sluiceFixedWindow(FixedWindow state) {
        return Expect.denied(state.limiter.tryAcquire());
    }

    @State(Scope.Benchmark)
    public static class TokenBucket {
        final Limiter limiter = Sluices.shut(Limit.tokenBucket(1, Peers.DAY));
    }

    @Benchmark
    public boolean sluiceTokenBucket(TokenBucket state) {
        return Expect.denied(state.limiter.tryAcquire());
    }

    @State(Scope.Benchmark)
    public static class LeakyBucket {
        final Limiter limiter = Sluices.shut(Limit.leakyBucket(1, Peers.DAY));
    }

    @Benchmark
    public boolean sluiceLeakyBucket(LeakyBucket state) {
        return Expect.denied(state.limiter.tryAcquire());
    }

    @State(Scope.Benchmark)
    public static class SlidingWindow {
        final Limiter limiter = Sluices.shut(Limit.slidingWindow(1, Peers.DAY));
    }

    @Benchmark
    public boolean sluiceSlidingWindow(SlidingWindow state) {
        return Expect.denied(state.limiter.tryAcquire());
    }

    @State(Scope.Benchmark)
    public static class SlidingLog {
        final Limiter limiter = Sluices.shut(Limit.slidingLog(Sluices.LOG, Peers.DAY));
    }

    @Benchmark
    public boolean sluiceSlidingLog(SlidingLog state) {
        return Expect.denied(state.limiter.tryAcquire());
    }

    // ---- Peers

    @State(Scope.Benchmark)
    public static class Guava {
        final com.google.common.util.concurrent.RateLimiter limiter = Peers.guavaShut();
    }

    @Benchmark
    public boolean guava(Guava state) {
        return Expect.denied(state.limiter.tryAcquire());
    }

    @State(Scope.Benchmark)
    public static class Bucket4j {
        final Bucket limiter = Peers.bucket4jShut();
    }

    @Benchmark
    public boolean bucket4j(Bucket4j state) {
        return Expect.denied(state.limiter.tryConsume(1));
    }

    @State(Scope.Benchmark)
    public static class Resilience4j {
        final AtomicRateLimiter limiter = Peers.resilience4jShut();
    }

    @Benchmark
    public boolean resilience4j(Resilience4j state) {
        return Expect.denied(state.limiter.acquirePermission());
    }

    @State(Scope.Benchmark)
    public static class FailsafeBursty {
        final dev.failsafe.RateLimiter<Object> limiter = Peers.failsafeBurstyShut();
    }

    @Benchmark
    public boolean failsafeBursty(FailsafeBursty state) {
        return Expect.denied(state.limiter.tryAcquirePermit());
    }

    @State(Scope.Benchmark)
    public static class FailsafeSmooth {
        final dev.failsafe.RateLimiter<Object> limiter = Peers.failsafeSmoothShut();
    }

    @Benchmark
    public boolean failsafeSmooth(FailsafeSmooth state) {
        return Expect.denied(state.limiter.tryAcquirePermit());
    }

    @State(Scope.Benchmark)
    public static class Sentinel {
        public Sentinel() {
            Peers.sentinelRules();
        }
    }

    @Benchmark
    @SuppressWarnings("unused") // the state loads the rules
    public boolean sentinel(Sentinel state) {
        return Expect.denied(Peers.sentinel(Peers.SENTINEL_SHUT));
    }
}
