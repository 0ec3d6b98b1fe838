package dev.sluice.bench.redis;

import dev.sluice.Charge;
import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.OnFailure;
import dev.sluice.bench.core.Expect;
import dev.sluice.bench.redis.Driver.Pace;
import dev.sluice.bench.redis.RedisBench.Figure;
import dev.sluice.bench.report.Measurements;
import dev.sluice.redis.RedisStore;
import dev.sluice.redis.RedisStoreBuilder;
import dev.sluice.redis.servers.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/** Measures decisions that do not ask Redis each time, with blocking calls from two threads. */
final class Shortcuts {
    /** Decisions that Sluice makes without asking Redis each time. */
    enum Shortcut {
        DENIED("denied hot key"),
        DENIED_BY_ONE_OF_TWO("two limiters at once, one denies"),
        BATCHED("batches on one hot key"),
        DEAD("Redis dead, policy local"),
        FROZEN("Redis frozen, policy local");

        final String label;

        Shortcut(String label) {
            this.label = label;
        }
    }

    static final Duration TIMEOUT = Duration.ofMillis(50);

    private static final Limit PLENTY = Limit.tokenBucket(10_000_000_000L, Duration.ofDays(1));
    private static final Limit ONE_A_DAY = Limit.tokenBucket(1, Duration.ofDays(1));
    private static final String KEY = "user:100000000";
    private static final int THREADS = 2;
    private static final long MILLIS_UNTIL_OUTAGE = 100;
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final Server server;
    private final RedisBench.Length length;
    private final Measurements figures;

    Shortcuts(Server server, RedisBench.Length length, Measurements figures) {
        this.server = server;
        this.length = length;
        this.figures = figures;
    }

    String measure(Shortcut shortcut) {
        return switch (shortcut) {
            case DENIED -> denied();
            case DENIED_BY_ONE_OF_TWO -> deniedByOneOfTwo();
            case BATCHED -> batched();
            case DEAD, FROZEN -> outage(shortcut);
        };
    }

    private String denied() {
        try (RedisStore store = store(OnFailure.ALLOW)) {
            Limiter limiter = store.limiter("denied", ONE_A_DAY);
            limiter.tryAcquire(KEY);
            return measure(Shortcut.DENIED, () -> Expect.denied(limiter.tryAcquire(KEY)));
        }
    }

    private String deniedByOneOfTwo() {
        try (RedisStore store = store(OnFailure.ALLOW)) {
            List<Charge> both = List.of(
                    new Charge(store.limiter("plenty", PLENTY), KEY, 1),
                    new Charge(store.limiter("scarce", ONE_A_DAY), KEY, 1));
            store.decideAll(both).join();
            return measure(
                    Shortcut.DENIED_BY_ONE_OF_TWO,
                    () -> Expect.denied(store.decideAll(both).join().get(1).allowed()));
        }
    }

    private String batched() {
        try (RedisStore store = store(OnFailure.DENY)) {
            Limiter limiter = store.limiterBuilder("batched", PLENTY).batched().build();
            return measure(Shortcut.BATCHED, () -> Expect.allowed(limiter.tryAcquire(KEY)));
        }
    }

    private RedisStore store(OnFailure onFailure) {
        server.clear(Server.SCRATCH);
        return RedisStore.builder()
                .url(server.url(Server.SCRATCH))
                .timeout(Duration.ofSeconds(5))
                .onFailure(onFailure)
                .build();
    }

    private String measure(Shortcut shortcut, Runnable call) {
        Driver.blocking(call, THREADS, length.warmupMillis());
        Pace pace = Driver.blocking(call, THREADS, length.millis());
        figures.add(shortcut, Figure.PER_SECOND, pace.perSecond());
        return "%,.0f per second".formatted(pace.perSecond());
    }

    /**
     * Measures the longest call while Redis goes away, and then the calls per second without Redis.
     *
     * <p>Why the first has pauses: the system suspends threads that hog all cores for longer than any timeout, and the
     * longest call is to show how long Redis is waited for, not the system.
     */
    private String outage(Shortcut shortcut) {
        RedisStoreBuilder builder = RedisStore.builder().timeout(TIMEOUT).onFailure(OnFailure.LOCAL);
        try (RedisServer redis = Server.process();
                RedisStore store = builder.url(redis.url()).build()) {
            Limiter limiter = store.limiter("outage", PLENTY);
            Runnable call = () -> Expect.allowed(limiter.tryAcquire(KEY));
            Driver.blocking(call, THREADS, length.warmupMillis());
            CompletableFuture<Void> outage = CompletableFuture.runAsync(
                    shortcut == Shortcut.DEAD ? redis::kill : redis::pause,
                    CompletableFuture.delayedExecutor(MILLIS_UNTIL_OUTAGE, TimeUnit.MILLISECONDS));
            double longestMillis = longestMillis(call);
            outage.join();
            Driver.blocking(call, THREADS, length.warmupMillis());
            Pace pace = Driver.blocking(call, THREADS, length.millis());
            if (!store.counters().open()) {
                throw new IllegalStateException("Redis was not missed: " + store.counters());
            }
            figures.add(shortcut, Figure.PER_SECOND, pace.perSecond());
            figures.add(shortcut, Figure.LONGEST_MILLIS, longestMillis);
            return "%,.0f per second, the longest call %.1f ms".formatted(pace.perSecond(), longestMillis);
        }
    }

    private static double longestMillis(Runnable call) {
        AtomicLong longestNanos = new AtomicLong();
        Runnable timedCall = () -> {
            long start = System.nanoTime();
            call.run();
            longestNanos.accumulateAndGet(System.nanoTime() - start, Math::max);
            LockSupport.parkNanos(PAUSE_NANOS);
        };
        Driver.blocking(timedCall, RedisLoad.THREAD_COUNT, 5 * MILLIS_UNTIL_OUTAGE);
        return longestNanos.get() / 1e6;
    }
}
