package dev.sluice.redis.client;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Ends calls that are overdue.
 *
 * <p>Why one queue for all deadlines and not a timer for each call: all calls have the same timeout, so the oldest call is
 * the first that can be overdue. Every few milliseconds a sweep looks at the head of the queue. The sweep also removes
 * calls that are done, so that their objects do not live long.
 *
 * <p>Why the sweep does not end calls itself: whoever ends a call runs its continuation, which may take long, or may make
 * another call that waits for the sweep. A few threads do that. If all of them are stuck in continuations for a whole
 * sweep, one more is started, up to {@link #MAX_THREADS}.
 */
final class Deadlines {
    /** A call with a deadline. */
    interface Call {
        boolean isDone();

        long deadlineNanos();

        void timeOut();

        /** The connection is closed: there will be no reply. */
        void abandon();
    }

    static final int MIN_THREADS = 4;
    static final int MAX_THREADS = 32;

    private static final long MAX_SWEEP_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private final ConcurrentLinkedQueue<Call> pending = new ConcurrentLinkedQueue<>();
    private final ThreadPoolExecutor enders;
    private long endedAtLastSweep;
    private volatile boolean closed;

    /** Sweeps on {@code timer}, often enough for calls with this timeout. */
    Deadlines(ScheduledExecutorService timer, long timeoutNanos) {
        this.enders = new ThreadPoolExecutor(
                MIN_THREADS,
                MIN_THREADS,
                1,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                ResilientConnection.threads("sluice-redis-overdue"));
        enders.setMaximumPoolSize(MAX_THREADS);
        enders.allowCoreThreadTimeOut(true);
        long sweepNanos = Math.max(TimeUnit.MILLISECONDS.toNanos(1), Math.min(timeoutNanos / 8, MAX_SWEEP_NANOS));
        timer.scheduleWithFixedDelay(this::sweep, sweepNanos, sweepNanos, TimeUnit.NANOSECONDS);
    }

    void add(Call call) {
        if (!call.isDone()) {
            pending.add(call);
            if (closed) {
                call.abandon();
            }
        }
    }

    /** Ends the calls that are overdue; the oldest are first. */
    private void sweep() {
        long now = System.nanoTime();
        while (true) {
            Call oldest = pending.peek();
            if (oldest == null || (!oldest.isDone() && oldest.deadlineNanos() - now > 0)) {
                break;
            }
            pending.poll();
            if (!oldest.isDone()) {
                enders.execute(oldest::timeOut);
            }
        }
        adjustThreads();
    }

    private void adjustThreads() {
        long ended = enders.getCompletedTaskCount();
        boolean stuck = !enders.getQueue().isEmpty() && ended == endedAtLastSweep;
        endedAtLastSweep = ended;
        int threads = enders.getCorePoolSize();
        if (stuck && threads < MAX_THREADS) {
            enders.setCorePoolSize(threads + 1);
        } else if (threads > MIN_THREADS && enders.getActiveCount() == 0) {
            enders.setCorePoolSize(MIN_THREADS);
        }
    }

    /** Ends all calls. Those that are added later are ended at once. */
    void close() {
        closed = true;
        for (Call call = pending.poll(); call != null; call = pending.poll()) {
            call.abandon();
        }
        enders.shutdown();
    }
}
