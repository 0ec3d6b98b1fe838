package dev.sluice.bench.chaos;

import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.redis.RedisCounters;
import dev.sluice.redis.RedisStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Threads that call a limiter at a bounded rate and record every call: half of them for a few keys whose limit is soon
 * reached, half for fresh keys, which show who decides.
 */
final class Traffic implements AutoCloseable {
    /** How many keys have a limit that is reached. */
    static final int KEYS = 20;

    private static final int THREADS = 4;
    private static final long EVERY_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final long TO_STOP_MILLIS = TimeUnit.SECONDS.toMillis(30);

    private final Caller caller;
    private final RedisStore store;
    private final Limiter limiter;
    private final Predicate<String> isFresh;
    private final AtomicLong freshKeys =
            new AtomicLong(ThreadLocalRandom.current().nextInt()); // nobody else's
    private final Queue<Call> calls = new ConcurrentLinkedQueue<>();
    private final AtomicReference<@Nullable Throwable> thrown = new AtomicReference<>();
    private final AtomicLong lastByRedisNanos = new AtomicLong(System.nanoTime());
    private final List<Thread> threads = new ArrayList<>();
    private volatile boolean stopped;

    private Traffic(Caller caller, RedisStore store, Limiter limiter, Predicate<String> isFresh) {
        this.caller = caller;
        this.store = store;
        this.limiter = limiter;
        this.isFresh = isFresh;
    }

    /**
     * Makes the store and the limiter, and calls nothing yet.
     *
     * @param hits whether a fresh key is to be asked for that has this name in Redis
     */
    static Traffic prepare(
            Caller caller, String url, String name, Limit limit, Duration timeout, Predicate<String> hits) {
        RedisStore store = RedisStore.builder()
                .url(url)
                .client(caller.client())
                .timeout(timeout)
                .onFailure(caller.policy())
                .build();
        return new Traffic(
                caller, store, store.limiter(name, limit), key -> hits.test("sluice:{" + name + ":" + key + "}:0"));
    }

    /** Starts the calls. */
    Traffic begin() {
        for (int i = 0; i < THREADS; i++) {
            Thread thread = new Thread(this::drive, "chaos-traffic");
            thread.setDaemon(true);
            threads.add(thread);
            thread.start();
        }
        return this;
    }

    /** Whether Redis has decided a call that began after an instant. */
    boolean isDecidedByRedisAfter(long nanos) {
        return lastByRedisNanos.get() - nanos > 0;
    }

    /** Ends the traffic, and returns every call. */
    List<Call> stop() {
        stopped = true;
        for (Thread thread : threads) {
            try {
                thread.join(TO_STOP_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            if (thread.isAlive()) {
                throw new IllegalStateException("a call hangs in " + Arrays.toString(thread.getStackTrace()));
            }
        }
        return List.copyOf(calls);
    }

    Caller caller() {
        return caller;
    }

    RedisCounters counters() {
        return store.counters();
    }

    /** The first thing that was thrown at a caller. */
    @Nullable
    Throwable thrown() {
        return thrown.get();
    }

    @Override
    public void close() {
        stopped = true;
        store.close();
    }

    private void drive() {
        long next = System.nanoTime();
        while (!stopped) {
            boolean fresh = ThreadLocalRandom.current().nextBoolean();
            call(fresh ? Call.FRESH : ThreadLocalRandom.current().nextInt(KEYS));
            next = Math.max(next + EVERY_NANOS, System.nanoTime());
            while (next - System.nanoTime() > 0) {
                LockSupport.parkNanos(next - System.nanoTime());
            }
        }
    }

    private void call(int key) {
        String name = key == Call.FRESH ? freshKey() : "key-" + key;
        long began = System.nanoTime();
        Call.Answer answer;
        try {
            answer = Call.answer(limiter.decide(name));
        } catch (Throwable e) { // what must not happen
            thrown.compareAndSet(null, e);
            answer = Call.Answer.THROWN;
        }
        calls.add(new Call(began, System.nanoTime(), key, answer));
        if (answer == Call.Answer.GRANTED_BY_REDIS && key == Call.FRESH) {
            lastByRedisNanos.accumulateAndGet(began, Math::max);
        }
    }

    private String freshKey() {
        String key;
        do {
            key = "fresh-" + freshKeys.incrementAndGet();
        } while (!isFresh.test(key));
        return key;
    }
}
