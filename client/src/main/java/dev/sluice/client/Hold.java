package dev.sluice.client;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

/**
 * Permits of a concurrency limit that are in use, as {@link SluiceClient#hold} takes them. They are released once, by {@link
 * #close} or {@link #release}.
 *
 * <p>A release that does not reach the server is not repeated: the lease of the permits ends them. A lease cannot be made
 * longer; ask for one that is long enough with {@link Check#lease}.
 */
public final class Hold implements AutoCloseable {
    private final CheckResult result;
    private final Supplier<CompletableFuture<Boolean>> sendRelease;
    private final Duration closeWithin;
    private final AtomicBoolean released = new AtomicBoolean();
    private final CompletableFuture<Boolean> outcome = new CompletableFuture<>();

    Hold(CheckResult result, Supplier<CompletableFuture<Boolean>> sendRelease, Duration closeWithin) {
        this.result = result;
        this.sendRelease = sendRelease;
        this.closeWithin = closeWithin;
    }

    /** The answer to the check. */
    public CheckResult result() {
        return result;
    }

    /** Whether the request may go ahead. If not, nothing is held. */
    public boolean allowed() {
        return result.allowed();
    }

    /**
     * Releases the permits, without waiting for that. Only the first call sends anything. The value is whether the server
     * released permits now: not if there are none, if their lease has ended, or if the server gave no answer.
     */
    public CompletableFuture<Boolean> release() {
        if (!released.getAndSet(true)) {
            sendRelease.get().whenComplete((done, failure) -> outcome.complete(failure == null && done));
        }
        return outcome.copy();
    }

    /** Releases the permits and waits until that is done, at most for the timeout of the client. Throws nothing. */
    @Override
    public void close() {
        release();
        try {
            outcome.get(closeWithin.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (TimeoutException | ExecutionException e) {
            // the lease ends the hold
        }
    }

    @Override
    public String toString() {
        return "Hold[" + result + (released.get() ? ", released]" : "]");
    }
}
