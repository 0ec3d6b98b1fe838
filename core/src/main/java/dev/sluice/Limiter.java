package dev.sluice;

import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Decides, key by key, which requests may go ahead.
 *
 * <pre>{@code
 * Limiter login = Limiter.local(Limit.slidingLog(5, Duration.ofMinutes(1)));
 * if (login.tryAcquire("ip:203.0.113.9")) { ... }
 * }</pre>
 *
 * <p>Each key has counters of its own. A limiter without keys is the one-key case: every method has a form without
 * the key, which is the same as the empty key and needs no look-up. Several limits on one limiter are all or nothing:
 * a request is charged to every one of them or to none.
 *
 * <p>A limiter is safe for use by any number of threads, platform or virtual. Its calls are linearizable, and a denied
 * call changes nothing.
 *
 * <p>A clock that steps back is read as "no time has passed": it frees no permit early, and locks no key for longer
 * than the step plus one period.
 */
public interface Limiter {
    /** A limiter in this JVM, on the system's monotonic clock. */
    static Limiter local(Limit... limits) {
        return builder(limits).build();
    }

    /** A limiter in this JVM on a clock of your own; windows aligned to the calendar read it as time since 1970. */
    static Limiter local(Ticker ticker, Limit... limits) {
        return builder(limits).ticker(ticker).build();
    }

    /** A limiter in this JVM with options. */
    static LimiterBuilder builder(Limit... limits) {
        return LocalProvider.get().builder(limits);
    }

    /** The limits in force. */
    List<Limit> limits();

    // ---- Yes or no

    /**
     * Takes {@code permits} if they are available now. Allocates nothing.
     *
     * @throws IllegalArgumentException if {@code permits} is negative
     * @throws IllegalStateException with a concurrency limit: there would be nothing to release its permits by; use
     *     {@link #hold}
     */
    boolean tryAcquire(String key, long permits);

    /** Takes one permit if it is available now. */
    default boolean tryAcquire(String key) {
        return tryAcquire(key, 1);
    }

    /** Takes one permit if it is available now. */
    default boolean tryAcquire() {
        return tryAcquire("", 1);
    }

    /** Takes {@code permits} if they are available now. */
    default boolean tryAcquire(long permits) {
        return tryAcquire("", permits);
    }

    // ---- Decisions

    /** Takes {@code permits} if the limits admit them. Zero permits take nothing, and are always allowed. */
    Decision decide(String key, long permits);

    /** Takes one permit if the limits admit it. */
    default Decision decide(String key) {
        return decide(key, 1);
    }

    /** Takes one permit if the limits admit it. */
    default Decision decide() {
        return decide("", 1);
    }

    /** Takes {@code permits} if the limits admit them. */
    default Decision decide(long permits) {
        return decide("", permits);
    }

    /**
     * {@link #decide(String, long)} without blocking the thread until the store answers. A future that its owner completes
     * or cancels before takes nothing.
     */
    default CompletableFuture<Decision> decideAsync(String key, long permits) {
        return CompletableFuture.completedFuture(decide(key, permits));
    }

    /** The decision that {@link #decide(String, long)} would make now. Takes nothing. */
    Decision peek(String key, long permits);

    /** The decision that {@link #decide(String)} would make now. Takes nothing. */
    default Decision peek(String key) {
        return peek(key, 1);
    }

    /** The decision that {@link #decide()} would make now. Takes nothing. */
    default Decision peek() {
        return peek("", 1);
    }

    /** {@link #peek(String, long)} without blocking the thread until the store answers. */
    default CompletableFuture<Decision> peekAsync(String key, long permits) {
        return CompletableFuture.completedFuture(peek(key, permits));
    }

    /**
     * What a key has used of each limit, in their order, and when it was taken. Takes nothing. What is not in use of a
     * limit is what a {@link #peek} at the same time says {@linkplain Decision#remaining remains}, to a limiter that has no
     * {@linkplain #withShare share}.
     *
     * @return fails if the store does not answer
     */
    default CompletableFuture<List<KeyUsage>> usageAsync(String key) {
        return peekAsync(key, 0)
                .thenApply(now -> now.perLimit().stream()
                        .map(limit -> new KeyUsage(limit.limit() - limit.remaining(), List.of()))
                        .toList());
    }

    // ---- Waiting

    /**
     * Waits up to {@code maxWait} for {@code permits}, first come, first served per key. A wait that cannot succeed in
     * time is refused at once, also when that turns out later, because the limits were changed for example.
     *
     * @throws InterruptedException if interrupted while waiting; then nothing was taken
     */
    default Decision acquire(String key, long permits, Duration maxWait) throws InterruptedException {
        CompletableFuture<Decision> pending = acquireAsync(key, permits, maxWait);
        try {
            return pending.get();
        } catch (InterruptedException e) {
            if (pending.cancel(false)) {
                throw e;
            }
            Thread.currentThread().interrupt();
            return pending.join();
        } catch (ExecutionException e) {
            throw new IllegalStateException("waiting for " + permits + " permits of " + limits() + " failed", e);
        }
    }

    /** Waits up to {@code maxWait} for one permit. */
    default Decision acquire(String key, Duration maxWait) throws InterruptedException {
        return acquire(key, 1, maxWait);
    }

    /** Waits up to {@code maxWait} for {@code permits} of the one key. */
    default Decision acquire(long permits, Duration maxWait) throws InterruptedException {
        return acquire("", permits, maxWait);
    }

    /**
     * {@link #acquire} without a waiting thread. A future that its owner cancels, or completes by other means, takes
     * nothing, and leaves the wait queue at once.
     */
    CompletableFuture<Decision> acquireAsync(String key, long permits, Duration maxWait);

    /** {@link #acquire(String, Duration)} without a waiting thread. */
    default CompletableFuture<Decision> acquireAsync(String key, Duration maxWait) {
        return acquireAsync(key, 1, maxWait);
    }

    /** {@link #acquire(long, Duration)} without a waiting thread. */
    default CompletableFuture<Decision> acquireAsync(long permits, Duration maxWait) {
        return acquireAsync("", permits, maxWait);
    }

    // ---- Holding, and running work

    /** Takes {@code permits} for as long as the handle is open. */
    default Hold hold(String key, long permits) {
        return new Hold(this, key, decide(key, permits));
    }

    /** Takes one permit for as long as the handle is open. */
    default Hold hold(String key) {
        return hold(key, 1);
    }

    /** Takes one permit for as long as the handle is open. */
    default Hold hold() {
        return hold("", 1);
    }

    /** Waits up to {@code maxWait} for {@code permits}, and takes them for as long as the handle is open. */
    default Hold hold(String key, long permits, Duration maxWait) throws InterruptedException {
        return new Hold(this, key, acquire(key, permits, maxWait));
    }

    /** Waits up to {@code maxWait} for one permit, and takes it for as long as the handle is open. */
    default Hold hold(String key, Duration maxWait) throws InterruptedException {
        return hold(key, 1, maxWait);
    }

    /**
     * {@link #hold(String, long, Duration)} without a waiting thread. Cancelling the future, or completing it by other
     * means, takes nothing.
     */
    default CompletableFuture<Hold> holdAsync(String key, long permits, Duration maxWait) {
        return AsyncCalls.hold(this, key, permits, maxWait);
    }

    /** {@link #hold(String, Duration)} without a waiting thread. */
    default CompletableFuture<Hold> holdAsync(String key, Duration maxWait) {
        return holdAsync(key, 1, maxWait);
    }

    /**
     * Runs {@code work} if one permit is available now, else {@code fallback}. A permit of a concurrency limit
     * is held while the work runs.
     */
    default <T, E extends Exception> T call(
            String key, Work<? extends T, E> work, Function<? super Decision, ? extends T> fallback) throws E {
        return AsyncCalls.run(this, key, acquireAsync(key, 1, Duration.ZERO).join(), work, fallback);
    }

    /** Runs {@code work} if {@code permits} can be had within {@code maxWait}, else {@code fallback}. */
    default <T, E extends Exception> T call(
            String key,
            long permits,
            Duration maxWait,
            Work<? extends T, E> work,
            Function<? super Decision, ? extends T> fallback)
            throws E, InterruptedException {
        return AsyncCalls.run(this, key, acquire(key, permits, maxWait), work, fallback);
    }

    /**
     * {@link #call(String, long, Duration, Work, Function)} for work that ends when the future it returns does: permits of
     * a concurrency limit are held until then. Cancelling the returned future before the work has begun takes nothing;
     * later, the work goes on, and its permits stay held until it ends.
     */
    default <T> CompletableFuture<T> callAsync(
            String key,
            long permits,
            Duration maxWait,
            Supplier<? extends CompletionStage<? extends T>> work,
            Function<? super Decision, ? extends T> fallback) {
        return AsyncCalls.call(this, key, permits, maxWait, work, fallback);
    }

    /** {@link #callAsync(String, long, Duration, Supplier, Function)} with one permit, without waiting for it. */
    default <T> CompletableFuture<T> callAsync(
            String key,
            Supplier<? extends CompletionStage<? extends T>> work,
            Function<? super Decision, ? extends T> fallback) {
        return callAsync(key, 1, Duration.ZERO, work, fallback);
    }

    /** {@link #call(String, Work, Function)} on the one key. */
    default <T, E extends Exception> T call(Work<? extends T, E> work, Function<? super Decision, ? extends T> fallback)
            throws E {
        return call("", work, fallback);
    }

    // ---- Refunds, releases and changes

    /**
     * Gives back {@code unused} of the permits that a decision took, as far as time has not regained them already: as if
     * the request had asked for the others first, and for these in a second call. A decision may be refunded in several
     * parts, together no more than it took. A denied decision took nothing, and its refund does nothing.
     *
     * <p>Permits of a concurrency limit stay held until the decision is released, or refunded as a whole in one call.
     *
     * @throws IllegalArgumentException if {@code unused} is negative, or more than the decision's permits
     */
    void refund(String key, Decision taken, long unused);

    /** Gives back all permits that a decision took, for a request that did not run. Refund a decision once. */
    default void refund(String key, Decision taken) {
        refund(key, taken, taken.permits());
    }

    /** {@link #refund(String, Decision)} on the one key. */
    default void refund(Decision taken) {
        refund("", taken);
    }

    /** {@link #refund(String, Decision, long)} on the one key. */
    default void refund(Decision taken, long unused) {
        refund("", taken, unused);
    }

    /** {@link #refund(String, Decision, long)} without blocking the thread until the store has done it. */
    default CompletableFuture<?> refundAsync(String key, Decision taken, long unused) {
        refund(key, taken, unused);
        return CompletableFuture.completedFuture(null);
    }

    /** {@link #refund(String, Decision)} without blocking the thread until the store has done it. */
    default CompletableFuture<?> refundAsync(String key, Decision taken) {
        return refundAsync(key, taken, taken.permits());
    }

    /**
     * Ends the hold of the permits that a decision took: those of concurrency limits become free, those of rate limits
     * stay taken. {@link Hold#close} does this for you. Release a decision once.
     */
    void release(String key, Decision taken);

    /** {@link #release(String, Decision)} without blocking the thread until the store has done it. */
    default CompletableFuture<?> releaseAsync(String key, Decision taken) {
        release(key, taken);
        return CompletableFuture.completedFuture(null);
    }

    /** The longest lease. */
    Duration MAX_LEASE = Duration.ofDays(1);

    /**
     * Hands over the hold of a decision to whoever knows the id that this returns. The hold ends when the lease is over, or
     * when {@link #releaseLeaseAsync} is called with the id, on a limiter of this name in any process that shares the store.
     * What becomes of this process does not matter to it any more, and the decision is no longer released or refunded.
     *
     * @param lease longer than zero, at most {@link #MAX_LEASE}
     * @return the id, which cannot be guessed; none if the decision holds nothing, or if the store has no memory to note
     *     the lease: then nothing has changed
     */
    default CompletableFuture<OptionalLong> leaseAsync(String key, Decision taken, Duration lease) {
        return CompletableFuture.completedFuture(OptionalLong.empty());
    }

    /**
     * Ends the hold of a lease: permits of concurrency limits become free, those of rate limits stay taken.
     *
     * @return whether there was one; the future fails if the store does not answer, and then the lease ends the hold
     */
    default CompletableFuture<Boolean> releaseLeaseAsync(String key, long id) {
        return CompletableFuture.completedFuture(false);
    }

    /** Forgets everything this key has used; only in this process if the store does not answer. */
    void reset(String key);

    /**
     * Like {@link #reset(String)}, but does not wait for the store.
     *
     * @return completes when the key is forgotten; fails if the store does not answer, and then only this process has
     *     forgotten it
     */
    default CompletableFuture<?> resetAsync(String key) {
        reset(key);
        return CompletableFuture.completedFuture(null);
    }

    /** Forgets everything the one key has used. */
    default void reset() {
        reset("");
    }

    /**
     * Puts other limits in force: key by key, and for every key when this returns. Permits in use stay in use: lowering a
     * limit forgives nothing, raising it locks nobody out.
     */
    void change(Limit... limits);

    /**
     * A view of this limiter for requests of a lower priority, which may use only the first {@code percent} of every
     * limit. The rest stays free for the others.
     */
    Limiter withShare(int percent);

    /** Work that a limiter lets run. */
    @FunctionalInterface
    interface Work<T, E extends Exception> {
        T run() throws E;
    }
}
