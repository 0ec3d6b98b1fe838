package dev.sluice.bench.core;

import dev.sluice.Limiter;
import io.github.bucket4j.Bucket;
import io.github.resilience4j.ratelimiter.internal.AtomicRateLimiter;
import java.util.concurrent.atomic.AtomicLong;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** One hot limiter shared by every thread, and every call allowed. */
public class Allowed {
    @Benchmark
    public long floorClock() {
        return System.nanoTime();
    }

    @State(Scope.Benchmark)
    public static class FloorState {
        final AtomicLong latest = new AtomicLong();
    }

    @Benchmark
    public boolean floorClockCas(FloorState state) {
        return Expect.allowed(Floors.clockCas(state.latest));
    }

    // ---- Sluice

    @State(Scope.Benchmark)
    public static class FixedWindow {
        final Limiter limiter = Sluices.fixedWindowOpen();
    }

    @Benchmark
    public boolean sluiceFixedWindow(FixedWindow state) {
        return Expect.allowed(state.limiter.tryAcquire());
    }

    @State(Scope.Benchmark)
    public static class TokenBucket {
        final Limiter limiter = Sluices.tokenBucketOpen();
    }

    @Benchmark
    public boolean sluiceTokenBucket(TokenBucket state) {
        return Expect.allowed(state.limiter.tryAcquire());
    }

    @State(Scope.Benchmark)
    public static class LeakyBucket {
        final Limiter limiter = Sluices.leakyBucketOpen();
    }

    @Benchmark
    public boolean sluiceLeakyBucket(LeakyBucket state) {
        return Expect.allowed(state.limiter.tryAcquire());
    }

    @State(Scope.Benchmark)
    public static class SlidingWindow {
        final Limiter limiter = Sluices.slidingWindowOpen();
    }

    @Benchmark
    public boolean sluiceSlidingWindow(SlidingWindow state) {
        return Expect.allowed(state.limiter.tryAcquire());
    }

    @State(Scope.Benchmark)
    public static class SlidingLog {
        final Limiter limiter = Sluices.slidingLogOpen();
    }

    @Benchmark
    public boolean sluiceSlidingLog(SlidingLog state) {
        return Expect.allowed(state.limiter.tryAcquire());
    }

    @State(Scope.Benchmark)
    public static class Composite {
        final Limiter limiter = Sluices.compositeOpen();
    }

    @Benchmark
    public boolean sluiceComposite(Composite state) {
        return Expect.allowed(state.limiter.tryAcquire());
    }

    // ---- Peers

    @State(Scope.Benchmark)
    public static class Guava {
        final com.google.common.util.concurrent.RateLimiter limiter = Peers.guavaOpen();
    }

    @Benchmark
    public boolean guava(Guava state) {
        return Expect.allowed(state.limiter.tryAcquire());
    }

    @State(Scope.Benchmark)
    public static class Bucket4j {
        final Bucket limiter = Peers.bucket4jOpen();
    }

    @Benchmark
    public boolean bucket4j(Bucket4j state) {
        return Expect.allowed(state.limiter.tryConsume(1));
    }

    @State(Scope.Benchmark)
    public static class Bucket4jNanos {
        final Bucket limiter = Peers.bucket4jNanosOpen();
    }

    @Benchmark
    public boolean bucket4jNanos(Bucket4jNanos state) {
        return Expect.allowed(state.limiter.tryConsume(1));
    }

    @State(Scope.Benchmark)
    public static class Resilience4j {
        final AtomicRateLimiter limiter = Peers.resilience4jOpen();
    }

    @Benchmark
    public boolean resilience4j(Resilience4j state) {
        return Expect.allowed(state.limiter.acquirePermission());
    }

    @State(Scope.Benchmark)
    public static class FailsafeBursty {
        final dev.failsafe.RateLimiter<Object> limiter = Peers.failsafeBurstyOpen();
    }

    @Benchmark
    public boolean failsafeBursty(FailsafeBursty state) {
        return Expect.allowed(state.limiter.tryAcquirePermit());
    }

    @State(Scope.Benchmark)
    public static class FailsafeSmooth {
        final dev.failsafe.RateLimiter<Object> limiter = Peers.failsafeSmoothOpen();
    }

    @Benchmark
    public boolean failsafeSmooth(FailsafeSmooth state) {
        return Expect.allowed(state.limiter.tryAcquirePermit());
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
        return Expect.allowed(Peers.sentinel(Peers.SENTINEL_OPEN));
    }
}
