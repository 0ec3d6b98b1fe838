package dev.sluice.bench.core;

import com.google.common.util.concurrent.RateLimiter;
import dev.sluice.Limiter;
import io.github.bucket4j.Bucket;
import io.github.resilience4j.ratelimiter.internal.AtomicRateLimiter;
import java.util.concurrent.atomic.AtomicLong;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * One hot limiter shared by every thread: every call allowed, or every call denied, which is what an attack costs.
 *
 * <p>The floors are what no limiter can be cheaper than: the least work that still reads the clock and keeps a fact. The
 * fact is a time that never runs back and moves with every call, so that each swap really writes. A floor retries a lost
 * swap, as every limiter has to.
 */
public class HotLimiter {
    /** Has a field for each library, so that the measured call goes to the limiter itself and through no wrapper. */
    @State(Scope.Benchmark)
    @SuppressWarnings("NullAway.Init") // the one that is measured is set before it is called
    public static class Subject {
        @Param
        public Contender contender;

        @Param
        public Supply supply;

        AtomicLong latest;
        AtomicLong closedUntil;
        Limiter sluice;
        Bucket bucket4j;
        dev.failsafe.RateLimiter<Object> failsafe;
        RateLimiter guava;
        AtomicRateLimiter resilience4j;

        @Setup
        public void open() {
            switch (contender.library) {
                case FLOOR -> {
                    latest = new AtomicLong();
                    closedUntil = new AtomicLong(System.nanoTime() + Supply.DAY.toNanos());
                }
                case SLUICE -> sluice = Limiters.sluice(contender, supply);
                case BUCKET4J -> bucket4j = Limiters.bucket4j(contender, supply);
                case FAILSAFE -> failsafe = Limiters.failsafe(contender, supply);
                case GUAVA -> guava = Limiters.guava(supply);
                case RESILIENCE4J -> resilience4j = Limiters.resilience4j(supply);
                case SENTINEL -> Limiters.loadSentinelRules();
            }
        }
    }

    @Benchmark
    public long floorClock() {
        return System.nanoTime();
    }

    @Benchmark
    public boolean floorClockCas(Subject subject) {
        return Expect.allowed(clockCas(subject.latest));
    }

    @Benchmark
    public boolean floorClockRead(Subject subject) {
        return Expect.denied(clockRead(subject.closedUntil));
    }

    /** An allowed request: one read of the clock, one swap. */
    static boolean clockCas(AtomicLong latest) {
        long now = System.nanoTime();
        long seen;
        do {
            seen = latest.get();
        } while (!latest.compareAndSet(seen, Math.max(seen, now) + 1));
        return true;
    }

    /** A denied request: one read of the clock, one of the state, nothing written. */
    private static boolean clockRead(AtomicLong closedUntil) {
        long now = System.nanoTime();
        return now - closedUntil.get() >= 0;
    }

    @Benchmark
    public boolean allowedSluice(Subject subject) {
        return Expect.allowed(subject.sluice.tryAcquire());
    }

    @Benchmark
    public boolean allowedBucket4j(Subject subject) {
        return Expect.allowed(subject.bucket4j.tryConsume(1));
    }

    @Benchmark
    public boolean allowedFailsafe(Subject subject) {
        return Expect.allowed(subject.failsafe.tryAcquirePermit());
    }

    @Benchmark
    public boolean allowedGuava(Subject subject) {
        return Expect.allowed(subject.guava.tryAcquire());
    }

    @Benchmark
    public boolean allowedResilience4j(Subject subject) {
        return Expect.allowed(subject.resilience4j.acquirePermission());
    }

    @Benchmark
    @SuppressWarnings("unused") // the subject loads the rules
    public boolean allowedSentinel(Subject subject) {
        return Expect.allowed(Limiters.sentinel(Limiters.SENTINEL_OPEN));
    }

    @Benchmark
    public boolean deniedSluice(Subject subject) {
        return Expect.denied(subject.sluice.tryAcquire());
    }

    @Benchmark
    public boolean deniedBucket4j(Subject subject) {
        return Expect.denied(subject.bucket4j.tryConsume(1));
    }

    @Benchmark
    public boolean deniedFailsafe(Subject subject) {
        return Expect.denied(subject.failsafe.tryAcquirePermit());
    }

    @Benchmark
    public boolean deniedGuava(Subject subject) {
        return Expect.denied(subject.guava.tryAcquire());
    }

    @Benchmark
    public boolean deniedResilience4j(Subject subject) {
        return Expect.denied(subject.resilience4j.acquirePermission());
    }

    @Benchmark
    @SuppressWarnings("unused") // the subject loads the rules
    public boolean deniedSentinel(Subject subject) {
        return Expect.denied(Limiters.sentinel(Limiters.SENTINEL_SHUT));
    }
}
