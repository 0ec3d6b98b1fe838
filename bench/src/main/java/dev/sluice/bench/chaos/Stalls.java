package dev.sluice.bench.chaos;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * When this machine, or this JVM, stood still: noted by a thread that sleeps for a millisecond at a time and looks how
 * long that took. No library can answer a call meanwhile.
 */
final class Stalls implements AutoCloseable {
    private static final long SLEEP_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long WORTH_NOTING_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private record Stall(long fromNanos, long toNanos) {
        long within(long from, long to) {
            return Math.max(0, Math.min(to, toNanos) - Math.max(from, fromNanos));
        }
    }

    private final Queue<Stall> all = new ConcurrentLinkedQueue<>();
    private volatile boolean stopped;

    Stalls() {
        Thread thread = new Thread(this::watch, "chaos-stalls");
        thread.setDaemon(true);
        thread.start();
    }

    /** How much of an interval it stood still. */
    long within(long fromNanos, long toNanos) {
        return all.stream().mapToLong(stall -> stall.within(fromNanos, toNanos)).sum();
    }

    /** How long a call took while the machine ran. */
    long nanosWithout(Call call) {
        return call.nanos() - within(call.beganNanos(), call.endedNanos());
    }

    /** The longest one. */
    long longestNanos() {
        return all.stream()
                .mapToLong(stall -> stall.toNanos - stall.fromNanos)
                .max()
                .orElse(0);
    }

    @Override
    public void close() {
        stopped = true;
    }

    private void watch() {
        long before = System.nanoTime();
        while (!stopped) {
            LockSupport.parkNanos(SLEEP_NANOS);
            long now = System.nanoTime();
            if (now - before > WORTH_NOTING_NANOS) {
                all.add(new Stall(before, now));
            }
            before = now;
        }
    }
}
