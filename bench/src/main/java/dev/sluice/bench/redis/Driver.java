package dev.sluice.bench.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Calls as fast as there are answers. A call that fails, or takes another path than it should, ends the run. */
final class Driver {
    /** How many decisions were made, and how fast. */
    record Pace(long decisions, double perSecond) {
        static Pace of(long decisions, long nanos) {
            return new Pace(decisions, decisions * 1e9 / nanos);
        }
    }

    private static final long MAX_SECONDS_LATE = 60;

    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private volatile boolean stop;

    private Driver() {}

    /** Each thread makes one call after the other. */
    static Pace blocking(Runnable call, int threads, long millis) {
        return new Driver().runBlocking(call, threads, millis);
    }

    /**
     * One thread sends requests and does not wait for decisions, with at most {@code most} requests in flight. The pace
     * counts all decisions; its rate counts those that were made before the time was over.
     */
    static Pace inFlight(Subject subject, Supplier<String> keys, int most, long millis) {
        return new Driver().runInFlight(subject, keys, most, millis, Long.MAX_VALUE);
    }

    /** The same, once for each of {@code count} keys. */
    static void once(Subject subject, Supplier<String> keys, int most, int count) {
        new Driver().runInFlight(subject, keys, most, TimeUnit.SECONDS.toMillis(MAX_SECONDS_LATE), count);
    }

    private Pace runBlocking(Runnable call, int threads, long millis) {
        LongAdder decisions = new LongAdder();
        List<Thread> all = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            Thread thread = new Thread(() -> decisions.add(callUntilStopped(call)), "bench-" + i);
            thread.setDaemon(true);
            all.add(thread);
        }
        long start = System.nanoTime();
        all.forEach(Thread::start);
        try {
            Thread.sleep(millis);
            stop = true;
            for (Thread thread : all) {
                thread.join(TimeUnit.SECONDS.toMillis(MAX_SECONDS_LATE));
                if (thread.isAlive()) {
                    throw new IllegalStateException("a call has not returned for " + MAX_SECONDS_LATE + " s");
                }
            }
        } catch (InterruptedException e) {
            throw interrupted(e);
        } finally {
            stop = true;
        }
        Pace pace = Pace.of(decisions.sum(), System.nanoTime() - start);
        requireNoFailure();
        return pace;
    }

    private long callUntilStopped(Runnable call) {
        long count = 0;
        try {
            while (!stop) {
                call.run();
                count++;
            }
        } catch (RuntimeException | Error e) {
            failed(e);
        }
        return count;
    }

    private Pace runInFlight(Subject subject, Supplier<String> keys, int most, long millis, long count) {
        Semaphore free = new Semaphore(most);
        LongAdder answers = new LongAdder();
        Subject.Reply reply = new Subject.Reply() {
            @Override
            public void decided(boolean allowed) {
                if (!allowed) {
                    failed(new IllegalStateException("denied, where the benchmark measures only allowed calls"));
                }
                answers.increment();
                free.release();
            }

            @Override
            public void failed(Throwable why) {
                Driver.this.failed(why);
                free.release();
            }
        };
        long start = System.nanoTime();
        long nanos = TimeUnit.MILLISECONDS.toNanos(millis);
        long asked = 0;
        Pace onTime;
        try {
            while (!stop && asked < count && System.nanoTime() - start < nanos) {
                if (free.tryAcquire(1, TimeUnit.MILLISECONDS)) {
                    int room = 1 + free.drainPermits();
                    int asking = (int) Math.min(room, count - asked);
                    for (int i = 0; i < asking; i++) {
                        subject.tryAcquire(keys.get(), reply);
                    }
                    asked += asking;
                    free.release(room - asking);
                }
            }
            onTime = Pace.of(answers.sum(), System.nanoTime() - start);
            if (!free.tryAcquire(most, MAX_SECONDS_LATE, TimeUnit.SECONDS)) {
                throw new IllegalStateException((asked - answers.sum()) + " requests without an answer after "
                        + MAX_SECONDS_LATE + " s: " + subject);
            }
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
        requireNoFailure();
        return new Pace(answers.sum(), onTime.perSecond());
    }

    private void failed(Throwable why) {
        failure.compareAndSet(null, why);
        stop = true;
    }

    private void requireNoFailure() {
        Throwable why = failure.get();
        if (why != null) {
            throw new IllegalStateException("a call failed", why);
        }
    }

    private static IllegalStateException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new IllegalStateException("interrupted while measuring", e);
    }
}
