package dev.sluice.bench.core;

import static java.util.Objects.requireNonNull;

import com.google.common.util.concurrent.RateLimiter;
import dev.sluice.Limiter;
import io.github.bucket4j.Bucket;
import io.github.resilience4j.ratelimiter.internal.AtomicRateLimiter;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * A million keys in use, asked for in random order, and every call allowed: mostly the price of memory. A key is asked
 * for by the very String it is stored under, which favours the map (it compares references first).
 */
public class ManyKeys {
    /** The keys, their order, and the limiter of each: Sluice's own, or a map of the limiters of another library. */
    @State(Scope.Benchmark)
    @SuppressWarnings("NullAway.Init") // the one that is measured is set before it is called
    public static class Subject {
        @Param
        public Contender contender;

        final String[] keys = Keys.create(Keys.count());
        final int[] order = Keys.shuffledOrder(keys.length);

        Limiter sluice;
        Map<String, AtomicLong> floor;
        Map<String, Bucket> bucket4j;
        Map<String, RateLimiter> guava;
        Map<String, AtomicRateLimiter> resilience4j;

        @Setup
        public void fill() {
            switch (contender.library) {
                case FLOOR -> floor = Keys.mapOf(keys, AtomicLong::new);
                case SLUICE -> sluice = Keys.sluice(keys, Limiters.limits(contender, Supply.SLOW));
                case BUCKET4J -> bucket4j = Keys.mapOf(keys, () -> Limiters.bucket4j(contender, Supply.SLOW));
                case GUAVA -> guava = Keys.mapOf(keys, () -> Limiters.guava(Supply.SLOW));
                case RESILIENCE4J -> resilience4j = Keys.mapOf(keys, () -> Limiters.resilience4j(Supply.SLOW));
                case FAILSAFE, SENTINEL -> throw new IllegalArgumentException(contender.label + " has no keys");
            }
        }
    }

    /** Where a thread is in the order. */
    @State(Scope.Thread)
    public static class Cursor {
        private int position = ThreadLocalRandom.current().nextInt(Keys.count());

        String next(Subject subject) {
            int next = position + 1;
            position = next < subject.order.length ? next : 0;
            return subject.keys[subject.order[position]];
        }
    }

    @Benchmark
    public boolean floorMapClockCas(Cursor cursor, Subject subject) {
        return Expect.allowed(HotLimiter.clockCas(requireNonNull(subject.floor.get(cursor.next(subject)))));
    }

    @Benchmark
    public boolean keyedSluice(Cursor cursor, Subject subject) {
        return Expect.allowed(subject.sluice.tryAcquire(cursor.next(subject)));
    }

    @Benchmark
    public boolean keyedBucket4j(Cursor cursor, Subject subject) {
        return Expect.allowed(
                requireNonNull(subject.bucket4j.get(cursor.next(subject))).tryConsume(1));
    }

    @Benchmark
    public boolean keyedGuava(Cursor cursor, Subject subject) {
        return Expect.allowed(
                requireNonNull(subject.guava.get(cursor.next(subject))).tryAcquire());
    }

    @Benchmark
    public boolean keyedResilience4j(Cursor cursor, Subject subject) {
        return Expect.allowed(
                requireNonNull(subject.resilience4j.get(cursor.next(subject))).acquirePermission());
    }
}
