package dev.sluice.spi;

import dev.sluice.Decision;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

/**
 * The future of a decision, which its owner may complete or cancel by any method that a future has.
 *
 * <p>Either the store answers, or the owner completes the future and the request is withdrawn: whoever claims the future
 * first. The request is withdrawn before the future is completed, because completing it runs the owner's code.
 */
public abstract class PendingDecision extends CompletableFuture<Decision> {
    private final AtomicBoolean claimed = new AtomicBoolean();

    /**
     * Withdraws the request, because its owner completes the future: nothing stays taken, and nobody waits behind it. What
     * it returns is run once the future is complete.
     */
    protected abstract Runnable withdraw();

    /** Whether the future is complete, or is being completed. */
    protected final boolean isClaimed() {
        return claimed.get();
    }

    /** Completes the future with the store's decision; false if its owner has completed it. */
    public final boolean answer(Decision decision) {
        return claimed.compareAndSet(false, true) && super.complete(decision);
    }

    /** The same with a decision that is made only if the owner has not completed the future. */
    public final boolean answer(Supplier<? extends Decision> decision) {
        return claimed.compareAndSet(false, true) && super.complete(decision.get());
    }

    /** Completes the future with the store's failure; false if its owner has completed it. */
    public final boolean fail(Throwable failure) {
        return claimed.compareAndSet(false, true) && super.completeExceptionally(failure);
    }

    @Override
    public final boolean complete(Decision decision) {
        return completeAsOwner(() -> super.complete(decision));
    }

    @Override
    public final boolean completeExceptionally(Throwable failure) {
        return completeAsOwner(() -> super.completeExceptionally(failure));
    }

    @Override
    public final boolean cancel(boolean mayInterruptIfRunning) {
        return completeAsOwner(() -> super.cancel(mayInterruptIfRunning)) || isCancelled();
    }

    @Override
    public final CompletableFuture<Decision> completeAsync(Supplier<? extends Decision> supplier, Executor executor) {
        executor.execute(() -> {
            if (!isDone()) {
                CompletableFuture<Decision> supplied = new CompletableFuture<>();
                supplied.completeAsync(supplier, Runnable::run);
                supplied.whenComplete((decision, failure) -> {
                    if (failure == null) {
                        complete(decision);
                    } else {
                        completeExceptionally(failure);
                    }
                });
            }
        });
        return this;
    }

    @Override
    public final void obtrudeValue(Decision decision) {
        if (!completeAsOwner(() -> super.complete(decision))) {
            super.obtrudeValue(decision);
        }
    }

    @Override
    public final void obtrudeException(Throwable failure) {
        if (!completeAsOwner(() -> super.completeExceptionally(failure))) {
            super.obtrudeException(failure);
        }
    }

    private boolean completeAsOwner(Runnable completion) {
        if (!claimed.compareAndSet(false, true)) {
            return false;
        }
        Runnable afterwards = () -> {};
        try {
            afterwards = withdraw();
        } finally {
            completion.run();
            afterwards.run();
        }
        return true;
    }
}
