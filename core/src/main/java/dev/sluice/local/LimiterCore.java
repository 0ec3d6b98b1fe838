package dev.sluice.local;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.Outcome;
import dev.sluice.Ticker;
import dev.sluice.algorithm.State;
import dev.sluice.spi.LimiterDecision;
import dev.sluice.spi.Scheduler;
import dev.sluice.spi.Shedding;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.ObjLongConsumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The one operation behind every call of a limiter: look up the state of a key, ask it, charge it.
 *
 * <p><b>How is it designed, and why?</b> The state of a key is several words under one {@linkplain
 * dev.sluice.algorithm.SequenceLock sequence lock}. A call reads the clock once, reads the state, and decides. A denied
 * call checks that nothing changed meanwhile, and has written nothing. An admitted one locks the state by one
 * compare-and-set, which also proves that the state still is what was read; then it writes the new words. A call that
 * finds the state locked starts over from the look-up. That is also how a state is replaced: another takes its place, and
 * the old one stays locked for ever.
 *
 * <p>The state of a limiter without a key is the core's own: the core is the entry of the empty key. Reading the clock
 * does not overlap with what comes after it, so each pointer that a call follows costs time.
 *
 * <p>Calls that wait stand in a {@link WaitQueue} beside the state, and the stamp says so. Where nobody waits, waiting
 * costs the others nothing.
 */
final class LimiterCore extends Entry {
    /** The decisions of calls that want the outcome alone. */
    private static final Decision GRANTED = LimiterDecision.allowed(1, 1, 0, 0, 0, 0, 0);

    private static final Decision REFUSED = LimiterDecision.denied(Outcome.DENIED, 1, 1, 0, 0, 0);

    private static final int HOLDS = 1;
    private static final int DELAYS = 2;
    private static final int WALL_CLOCK = 4;

    private static final int FIRST_PAUSES = 64;
    private static final int TRIES_BEFORE_YIELD = 3;
    private static final long WALL_CHECK_MICROS = 10_000;
    private static final long WALL_TOLERANCE_MICROS = 1000;

    private static final AtomicInteger CORES = new AtomicInteger();

    final Scheduler scheduler;
    final Ticker ticker;
    /** Where the core stands among all cores, so that all threads lock the states of several in the same order. */
    final int number = CORES.getAndIncrement();

    private final long originNanos;
    /** Microseconds since 1970; null where the ticker itself counts from there. */
    private final @Nullable LongSupplier wallClock;

    private final ReentrantLock changing = new ReentrantLock();
    private final @Nullable Shedding shedding;
    private final KeyTable keys;
    private final ConcurrentHashMap<Entry, WaitQueue> queues = new ConcurrentHashMap<>();

    private volatile CompiledLimits compiled;
    /** What the limits need beyond the usual, in one word that a call reads once. */
    private volatile int needs;

    private volatile long wallCheckAt;

    LimiterCore(
            CompiledLimits compiled,
            Ticker ticker,
            @Nullable LongSupplier wallClock,
            Scheduler scheduler,
            int maxKeys,
            @Nullable Shedding shedding) {
        super("", 0, compiled.algorithm().fresh());
        this.ticker = ticker;
        this.scheduler = scheduler;
        this.shedding = shedding;
        this.wallClock = wallClock;
        this.originNanos = wallClock == null ? 0 : ticker.nanos();
        this.compiled = compiled;
        this.needs = needs(compiled);
        this.keys = new KeyTable(maxKeys, () -> this.compiled.algorithm().fresh());
    }

    // ---- Deciding

    /** Takes {@code permits} if they can be had now, when the ticker says {@code nanos}. */
    boolean tryAcquire(long nanos, String key, long permits, int percent) {
        return permits == 0
                || attempt(clock(nanos), key, permits, percent, 0, false).allowed();
    }

    /** Takes {@code permits} if they are admitted with a delay of at most {@code maxDelay}. */
    Decision decide(String key, long permits, int percent, long maxDelay) {
        return permits == 0 ? peek(key, 0, percent) : attempt(clock(), key, permits, percent, maxDelay, true);
    }

    /** The operation. Without {@code detailed} it returns {@link #GRANTED} or {@link #REFUSED}. */
    private Decision attempt(long clock, String key, long permits, int percent, long maxDelay, boolean detailed) {
        int needs = this.needs;
        boolean keyed = !key.isEmpty();
        if (keyed) {
            keys.sweepIfDue(clock);
        }
        for (int tries = 0; ; tries++) {
            Entry entry = keyed ? keys.entry(key) : this;
            long now = keyed ? keys.time(clock) : clock;
            State state = entry.state;
            long stamp = state.stamp();
            if (!State.isLocked(stamp)) {
                boolean admitted = admits(entry, state, stamp, now, permits, percent, needs, maxDelay);
                if (!admitted || sheds(state, now)) {
                    Outcome why = admitted ? Outcome.SHED : Outcome.DENIED;
                    Decision denied = detailed
                            ? denied(
                                    entry,
                                    stamp,
                                    new LocalKeyStatus(state, percent, now),
                                    clock,
                                    permits,
                                    maxDelay,
                                    why)
                            : REFUSED;
                    if (state.unchangedSince(stamp)) {
                        return denied;
                    }
                } else {
                    long departsAt = (needs & DELAYS) != 0 ? state.departsAt(now) : now;
                    if (state.take(stamp, now, permits)) {
                        try {
                            return detailed
                                    ? new LocalKeyStatus(state, percent, now).allowed(permits, clock, departsAt)
                                    : GRANTED;
                        } finally {
                            state.unlock(stamp);
                        }
                    }
                }
            }
            relax(tries);
        }
    }

    /** The decision that {@link #decide} would make with any delay. Takes nothing, and draws nothing for shedding. */
    Decision peek(String key, long permits, int percent) {
        long clock = clock();
        sweep(key, clock);
        for (int tries = 0; ; tries++) {
            Entry entry = entry(key);
            long now = time(key, clock);
            State state = entry.state;
            long stamp = state.stamp();
            LocalKeyStatus status = new LocalKeyStatus(state, percent, now);
            Decision decision;
            if (permits == 0) {
                decision = status.uncharged(clock);
            } else if (admits(entry, state, stamp, now, permits, percent, needs, State.NEVER)) {
                decision = ifCharged(stamp, status, clock, permits);
            } else {
                decision = denied(entry, stamp, status, clock, permits, State.NEVER, Outcome.DENIED);
            }
            if (decision != null && !State.isLocked(stamp) && state.unchangedSince(stamp)) {
                return decision;
            }
            relax(tries);
        }
    }

    /** The decision that follows from charging a copy of the state; null if the state changed while it was copied. */
    private static @Nullable Decision ifCharged(long stamp, LocalKeyStatus status, long clock, long permits) {
        State copy = status.state.copy();
        if (State.isLocked(stamp) || !status.state.unchangedSince(stamp)) {
            return null;
        }
        long departsAt = copy.departsAt(status.now);
        copy.take(status.now, permits);
        return new LocalKeyStatus(copy, status.percent, status.now).allowed(permits, clock, departsAt);
    }

    boolean admits(
            Entry entry, State state, long stamp, long now, long permits, int percent, int needs, long maxDelay) {
        boolean admitted = percent == 100 ? state.admits(now, permits) : state.admits(percent, now, permits);
        return admitted
                && !(State.isAwaited(stamp) && barring(entry, stamp, percent) != null)
                && ((needs & DELAYS) == 0 || state.departsAt(now) - now <= maxDelay);
    }

    /** Whether to deny at random what the limits would admit; each limit draws for itself. */
    boolean sheds(State state, long now) {
        if (shedding != null) {
            for (int i = 0; i < state.parts(); i++) {
                State part = state.part(i);
                if (shedding.sheds(part.used(now), part.algorithm().capacity())) {
                    return true;
                }
            }
        }
        return false;
    }

    Decision denied(
            Entry entry, long stamp, LocalKeyStatus status, long clock, long permits, long maxDelay, Outcome why) {
        State state = status.state;
        long now = status.now;
        WaitQueue ahead = barring(entry, stamp, status.percent);
        long readyAt;
        if (why == Outcome.SHED && shedding != null) {
            readyAt = state.readyAt(shedding.fromPercent(), now, 0);
        } else if (ahead != null) {
            readyAt = ahead.turnOf(permits, status.percent, now);
        } else {
            long tooLate = (needs & DELAYS) != 0 ? state.departsAt(now) - now - maxDelay : 0;
            readyAt = Math.max(state.readyAt(status.percent, now, permits), tooLate > 0 ? now + tooLate : now);
        }
        return status.denied(why, permits, clock, ahead != null ? 0 : status.remaining(), readyAt);
    }

    /** The queue of the entry, if those in it go before a request of this share; else null. */
    private @Nullable WaitQueue barring(Entry entry, long stamp, int percent) {
        WaitQueue queue = State.isAwaited(stamp) ? queues.get(entry) : null;
        return queue != null && queue.bars(percent) ? queue : null;
    }

    // ---- Waiting

    /** Takes {@code permits} as soon as they can be had, if that is within {@code maxWait}. */
    CompletableFuture<Decision> await(String key, long permits, int percent, long maxWait) {
        Decision now = decide(key, permits, percent, maxWait);
        if (now.delayMicros() > 0) {
            return delayed(key, now);
        }
        // with a queue, as many wait as it admits, by their delay
        boolean canWait = (needs & DELAYS) == 0 && maxWait > 0;
        return now.outcome() == Outcome.DENIED && canWait
                ? enqueue(key, permits, percent, maxWait)
                : CompletableFuture.completedFuture(now);
    }

    /** Waits out the delay of a request that was admitted. */
    private CompletableFuture<Decision> delayed(String key, Decision admitted) {
        CompletableFuture<Decision> pending = new CompletableFuture<>();
        Runnable cancel = scheduler.schedule(
                admitted.delayMicros(),
                () -> pending.complete(LimiterDecision.of(admitted).undelayed()));
        pending.whenComplete((decision, cancelled) -> {
            cancel.run();
            if (cancelled != null) {
                refund(key, LimiterDecision.of(admitted));
            }
        });
        return pending;
    }

    /** Waits in the queue of the key. */
    private CompletableFuture<Decision> enqueue(String key, long permits, int percent, long maxWait) {
        long now = clock();
        long deadline = maxWait > State.NEVER - Math.max(0, now) ? State.NEVER : now + maxWait;
        for (int tries = 0; ; tries++) {
            Entry entry = entry(key);
            WaitQueue queue = queues.computeIfAbsent(entry, of -> new WaitQueue(this, of));
            WaitQueue.Waiter waiter = queue.join(key, permits, percent, deadline);
            if (waiter != null) {
                waiter.whenComplete((decision, cancelled) -> {
                    if (cancelled != null) {
                        queue.leave(waiter);
                    }
                });
                return waiter;
            }
            relax(tries);
        }
    }

    /** Forgets a queue that has no waiters any more. */
    void remove(Entry entry, WaitQueue queue) {
        queues.remove(entry, queue);
    }

    // ---- Refunds, releases and changes

    void refund(String key, LimiterDecision taken) {
        update(key, (state, now) -> {
            for (int i = 0; i < state.parts(); i++) {
                state.part(i).refund(now, taken.takenAtMicros(), taken.part(i).mark(), taken.permits());
            }
        });
    }

    void release(String key, LimiterDecision taken) {
        update(key, (state, now) -> {
            for (int i = 0; i < state.parts(); i++) {
                state.part(i).release(taken.part(i).mark(), taken.permits());
            }
        });
    }

    void reset(String key) {
        Entry entry;
        do {
            entry = entry(key);
        } while (!replace(entry, state -> compiled.algorithm().fresh()));
        serveWaiters(entry);
    }

    void change(List<Limit> limits) {
        changing.lock();
        try {
            enforce(CompiledLimits.of(limits, compiled.wallSkewMicros()), clock());
        } finally {
            changing.unlock();
        }
        queues.values().forEach(WaitQueue::reconsider);
    }

    private void enforce(CompiledLimits next, long now) {
        compiled = next;
        needs = needs(next);
        UnaryOperator<State> migration = state -> state.migrateTo(next.algorithm(), now);
        replace(this, migration);
        keys.forEach(entry -> replace(entry, migration));
    }

    private void update(String key, ObjLongConsumer<State> change) {
        long clock = clock();
        sweep(key, clock);
        for (int tries = 0; ; tries++) {
            Entry entry = entry(key);
            long now = time(key, clock);
            State state = entry.state;
            long stamp = state.stamp();
            if (state.tryLock(stamp)) {
                try {
                    change.accept(state, now);
                } finally {
                    state.unlock(stamp);
                }
                serveWaiters(entry);
                return;
            }
            relax(tries);
        }
    }

    /** Puts another state in the place of an entry's; false if the entry was dropped. */
    private boolean replace(Entry entry, UnaryOperator<State> next) {
        for (int tries = 0; ; tries++) {
            State state = entry.state;
            long stamp = state.stamp();
            if (State.isDropped(stamp)) {
                return false;
            }
            if (state.tryLock(stamp)) {
                State replacement;
                try {
                    replacement = next.apply(state);
                } catch (RuntimeException | Error e) {
                    state.unlock(stamp);
                    throw e;
                }
                if (State.isAwaited(stamp)) {
                    replacement.unlockAwaited(replacement.stamp());
                }
                entry.state = replacement;
                return true;
            }
            relax(tries);
        }
    }

    /** Serves the waiters of an entry that has changed. */
    private void serveWaiters(Entry entry) {
        WaitQueue queue = State.isAwaited(entry.state.stamp()) ? queues.get(entry) : null;
        if (queue != null) {
            queue.reconsider();
        }
    }

    // ---- Keys and time

    List<Limit> limits() {
        return compiled.limits();
    }

    /** Whether permits are held until released. */
    boolean holds() {
        return (needs & HOLDS) != 0;
    }

    /** What the limits need beyond the usual. */
    int needs() {
        return needs;
    }

    /** Whether work may be admitted with a delay. */
    boolean delays() {
        return (needs & DELAYS) != 0;
    }

    int keyCount() {
        return keys.size();
    }

    int longestProbe() {
        return keys.longestProbe();
    }

    Entry entry(String key) {
        return key.isEmpty() ? this : keys.entry(key);
    }

    /** The time to decide by; ask after {@link #entry}. */
    long time(String key, long clock) {
        return key.isEmpty() ? clock : keys.time(clock);
    }

    /** Drops a few idle keys if it is time to; call before {@link #entry}. */
    void sweep(String key, long clock) {
        if (!key.isEmpty()) {
            keys.sweepIfDue(clock);
        }
    }

    /** Microseconds on the limiter's own clock. */
    long clock() {
        return clock(ticker.nanos());
    }

    /** Microseconds on the limiter's own clock when its ticker says {@code nanos}. */
    long clock(long nanos) {
        long now = micros(nanos);
        if ((needs & WALL_CLOCK) != 0 && now >= wallCheckAt) {
            followWallClock(now);
        }
        return now;
    }

    private long micros(long nanos) {
        return Math.floorDiv(nanos - originNanos, 1000L);
    }

    private int needs(CompiledLimits compiled) {
        return (compiled.holds() ? HOLDS : 0)
                | (compiled.delays() ? DELAYS : 0)
                | (wallClock != null && compiled.readsWallClock() ? WALL_CLOCK : 0);
    }

    /**
     * Windows that follow the wall clock are kept on ours, by the difference between the two. It changes when the wall
     * clock is set or the machine slept; then the open windows are moved along.
     */
    private void followWallClock(long now) {
        long skew = wallClock == null ? 0 : wallClock.getAsLong() - now;
        if (micros(ticker.nanos()) - now > WALL_TOLERANCE_MICROS) {
            return; // held up between the two clocks: the difference means nothing, the next call looks again
        }
        wallCheckAt = now + WALL_CHECK_MICROS;
        // tried, not waited for: the thread that changes the limits may be waiting for this one
        if (Math.abs(skew - compiled.wallSkewMicros()) > WALL_TOLERANCE_MICROS && changing.tryLock()) {
            try {
                enforce(CompiledLimits.of(compiled.limits(), skew), now);
            } finally {
                changing.unlock();
            }
        }
    }

    /**
     * Pauses, longer each time: two threads that want the same state get more done in turns of many calls than call by
     * call. A thread that keeps a state locked for long has lost its processor, so in the end this one yields its own.
     */
    @SuppressWarnings("ThreadPriorityCheck")
    static void relax(int tries) {
        if (tries >= TRIES_BEFORE_YIELD) {
            Thread.yield();
        } else {
            for (int i = FIRST_PAUSES << tries; i > 0; i--) {
                Thread.onSpinWait();
            }
        }
    }
}
