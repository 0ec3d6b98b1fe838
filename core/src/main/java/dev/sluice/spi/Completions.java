package dev.sluice.spi;

import dev.sluice.Decision;
import dev.sluice.Scheduler;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;

/**
 * The decisions of waiters, on the way to their futures. Completing a future runs its owner's code, so it is done outside
 * every lock.
 *
 * <p>The owner's code may release permits, which completes the next future, and so on without end. So the calls that one
 * thread is in are counted, over all limiters, and beyond a few the scheduler takes over. The owner's code may also wait
 * for a future that comes later here; so while there is more than one, the scheduler stands by to complete the rest.
 */
public final class Completions {
    private static final int MAX_DEPTH = 16;
    private static final long STAND_BY_MICROS = 1000;

    /** How many calls of {@link #run} the thread is in. */
    private static final ThreadLocal<int[]> DEPTH = ThreadLocal.withInitial(() -> new int[1]);

    private record Answer(PendingDecision waiter, Decision decision, Consumer<Decision> refund) {}

    private final Scheduler scheduler;
    private final ConcurrentLinkedQueue<Answer> answers = new ConcurrentLinkedQueue<>();

    public Completions(Scheduler scheduler) {
        this.scheduler = scheduler;
    }

    /** Adds the decision for a waiter; {@code refund} takes back what it took if the owner has completed the future. */
    public void add(PendingDecision waiter, Decision decision, Consumer<Decision> refund) {
        answers.add(new Answer(waiter, decision, refund));
    }

    /** Completes the futures. */
    public void run() {
        int[] depth = DEPTH.get();
        if (answers.isEmpty()) {
            return;
        }
        if (depth[0] >= MAX_DEPTH && handedOver()) {
            return;
        }
        Answer next = answers.poll();
        Runnable cancelStandBy = answers.isEmpty() ? () -> {} : standBy();
        depth[0]++;
        try {
            for (; next != null; next = answers.poll()) {
                complete(next);
            }
        } finally {
            depth[0]--;
            cancelStandBy.run();
        }
    }

    /** Completes the futures when the result is run; if that takes long, the scheduler does. */
    public Runnable later() {
        if (answers.isEmpty()) {
            return () -> {};
        }
        Runnable cancelStandBy = standBy();
        return () -> {
            cancelStandBy.run();
            run();
        };
    }

    /** Whether the scheduler will go on; one that fails cannot, and then this thread must. */
    private boolean handedOver() {
        try {
            scheduler.schedule(0, this::run);
            return true;
        } catch (RuntimeException e) {
            return false;
        }
    }

    /** Without a scheduler nobody stands by. */
    private Runnable standBy() {
        try {
            return scheduler.schedule(STAND_BY_MICROS, this::run);
        } catch (RuntimeException e) {
            return () -> {};
        }
    }

    private void complete(Answer answer) {
        if (!answer.waiter.answer(answer.decision) && answer.decision.allowed()) {
            answer.refund.accept(answer.decision);
        }
    }
}
