package dev.sluice.bench.core;

import static java.util.Objects.requireNonNull;

import dev.sluice.Limit;
import dev.sluice.Limiter;
import io.github.bucket4j.Bucket;
import io.github.resilience4j.ratelimiter.internal.AtomicRateLimiter;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/**
 * A million keys in use, asked for in random order, and every call allowed: mostly the price of memory. A key is asked
 * for by the very String it is stored under, which favours the map (it compares references first).
 */
public class Keyed {
    /** The keys and their order; a subclass fills its limiter with them before the first call. */
    public abstract static class AllKeys {
        final String[] keys = Keys.create(Keys.count());
        final int[] order = Keys.shuffledOrder(keys.length);

        <T> Map<String, T> map(java.util.function.Supplier<T> limiter) {
            return Keys.mapOf(keys, limiter);
        }

        Limiter sluice(Limit limit) {
            Limiter limiter = Limiter.local(limit);
            for (String key : keys) {
                Expect.allowed(limiter.tryAcquire(key));
            }
            return limiter;
        }
    }

    /** Where a thread is in the order. */
    @State(Scope.Thread)
    public static class Cursor {
        private int position = ThreadLocalRandom.current().nextInt(Keys.count());

        String next(AllKeys all) {
            int next = position + 1;
            position = next < all.order.length ? next : 0;
            return all.keys[all.order[position]];
        }
    }

    @State(Scope.Benchmark)
    public static class FloorState extends AllKeys {
        final Map<String, AtomicLong> map = map(AtomicLong::new);
    }

    @Benchmark
    public boolean floorMapClockCas(Cursor cursor, FloorState state) {
        return Expect.allowed(Floors.clockCas(requireNonNull(state.map.get(cursor.next(state)))));
    }

    // ---- Sluice

    @State(Scope.Benchmark)
    public static class TokenBucket extends AllKeys {
        final Limiter limiter = sluice(Sluices.tokenBucketSlow());
    }

    @Benchmark
    public boolean sluiceTokenBucket(Cursor cursor, TokenBucket state) {
        return Expect.allowed(state.limiter.tryAcquire(cursor.next(state)));
    }

    @State(Scope.Benchmark)
    public static class FixedWindow extends AllKeys {
        final Limiter limiter = sluice(Sluices.fixedWindowSlow());
    }

    @Benchmark
    public boolean sluiceFixedWindow(Cursor cursor, FixedWindow state) {
        return Expect.allowed(state.limiter.tryAcquire(cursor.next(state)));
    }

    // ---- Peers

    @State(Scope.Benchmark)
    public static class Guava extends AllKeys {
        final Map<String, com.google.common.util.concurrent.RateLimiter> map = map(Peers::guavaOpen);
    }

    @Benchmark
    public boolean guava(Cursor cursor, Guava state) {
        return Expect.allowed(requireNonNull(state.map.get(cursor.next(state))).tryAcquire());
    }

    @State(Scope.Benchmark)
    public static class Bucket4j extends AllKeys {
        final Map<String, Bucket> map = map(Peers::bucket4jSlow);
    }

    @Benchmark
    public boolean bucket4j(Cursor cursor, Bucket4j state) {
        return Expect.allowed(requireNonNull(state.map.get(cursor.next(state))).tryConsume(1));
    }

    @State(Scope.Benchmark)
    public static class Resilience4j extends AllKeys {
        final Map<String, AtomicRateLimiter> map = map(Peers::resilience4jSlow);
    }

    @Benchmark
    public boolean resilience4j(Cursor cursor, Resilience4j state) {
        return Expect.allowed(requireNonNull(state.map.get(cursor.next(state))).acquirePermission());
    }
}
