package dev.sluice.client;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Bounds how many requests are under way at once. Others wait for a slot, first come, first served.
 *
 * <p>Why: the JDK's client opens a connection for each HTTP/1.1 request that finds none idle, without a bound.
 *
 * <p>Why there is a count of turns: a task may end within its start, and then its slot goes to the next one. The thread that
 * is handing out slots goes on in its loop; the others leave it a turn and return. So a queue of any length needs one stack
 * frame.
 */
final class RequestSlots {
    private final Queue<Runnable> waiting = new ConcurrentLinkedQueue<>();
    private final AtomicInteger free;
    private final AtomicInteger turns = new AtomicInteger();

    RequestSlots(int max) {
        this.free = new AtomicInteger(max);
    }

    /** Runs a task when there is a slot for it. Once what it has begun is over, {@link #leave} must be called. */
    void enter(Runnable task) {
        waiting.add(task);
        handOut();
    }

    /** Gives a slot back. */
    void leave() {
        free.incrementAndGet();
        handOut();
    }

    private void handOut() {
        if (turns.getAndIncrement() != 0) {
            return;
        }
        int seen = 1;
        do {
            while (!waiting.isEmpty() && free.get() > 0) {
                Runnable next = waiting.poll();
                if (next != null) {
                    free.decrementAndGet();
                    next.run();
                }
            }
            seen = turns.addAndGet(-seen);
        } while (seen != 0);
    }
}
