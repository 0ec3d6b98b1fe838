package dev.sluice.local;

import dev.sluice.Decision;
import dev.sluice.KeyUsage;
import dev.sluice.Limit;
import dev.sluice.Outcome;
import dev.sluice.Scheduler;
import dev.sluice.Ticker;
import dev.sluice.algorithm.Concurrency;
import dev.sluice.algorithm.Memory;
import dev.sluice.algorithm.State;
import dev.sluice.spi.LimiterDecision;
import dev.sluice.spi.Shedding;
import java.util.List;
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
 * <p>Calls that wait stand in {@link WaitQueues} beside the state, and the stamp says so. Where nobody waits, waiting
 * costs the others nothing.
 */
final class LimiterCore extends Entry {
    /** The decisions of calls that want the outcome alone. */
    private static final Decision GRANTED = LimiterDecision.allowed(1, 1, 0, 0);

    private static final Decision REFUSED = LimiterDecision.denied(Outcome.DENIED, 1, 1, 0, 0, 0);

    /** About what a limiter takes beside its states: this object, its limits, its table without keys. */
    private static final long BYTES = 800;

    private static final int WHOLE = 100;

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
    private final MemoryBound.Account memory;
    private final KeyTable keys;
    /** Holds that end by themselves. */
    final LeasedHolds leases = new LeasedHolds(this);
    /** Those who wait. */
    final WaitQueues waiting = new WaitQueues(this);

    private volatile CompiledLimits compiled;
    /** What the limits need beyond the usual, in one word that a call reads once. */
    private volatile int needs;

    private volatile long wallCheckAt;

    LimiterCore(
            CompiledLimits compiled,
            Ticker ticker,
            @Nullable LongSupplier wallClock,
            Scheduler scheduler,
            MemoryBound bound,
            @Nullable Shedding shedding) {
        super("", 0, compiled.algorithm().fresh());
        this.ticker = ticker;
        this.scheduler = scheduler;
        this.shedding = shedding;
        this.wallClock = wallClock;
        this.originNanos = wallClock == null ? 0 : ticker.nanos();
        this.compiled = compiled;
        this.needs = needs(compiled);
        this.memory = bound.account(this);
        this.keys =
                new KeyTable(memory, waiting, () -> this.compiled.algorithm().fresh());
        memory.reserve(BYTES + state.bytes());
        state.growWithin(memory);
        memory.open();
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
                                    new LocalKeyStatus(entry, state, percent, now),
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
                                    ? new LocalKeyStatus(entry, state, percent, now).allowed(permits, clock, departsAt)
                                    : granted(state, now, permits);
                        } finally {
                            state.unlock(stamp);
                        }
                    }
                }
            }
            relax(tries);
        }
    }

    /**
     * The outcome of a call that keeps no decision. If the limits were changed since it was checked that it holds
     * nothing, nobody could release what it took; then that is given back, before anybody sees it.
     */
    private Decision granted(State state, long now, long permits) {
        if (!holds() || !isHeld(state)) {
            return GRANTED;
        }
        long takenAt = Math.max(now, state.latest());
        for (int i = 0; i < state.parts(); i++) {
            State part = state.part(i);
            part.refund(now, takenAt, part.mark(), permits, permits);
        }
        return REFUSED;
    }

    private static boolean isHeld(State state) {
        for (int i = 0; i < state.parts(); i++) {
            if (state.part(i).algorithm() instanceof Concurrency) {
                return true;
            }
        }
        return false;
    }

    /** The decision that {@link #decide} would make with any delay. Takes nothing, and draws nothing for shedding. */
    Decision peek(String key, long permits, int percent) {
        long clock = clock();
        sweep(key, clock);
        for (int tries = 0; ; tries++) {
            Entry entry = look(key);
            long now = time(entry, clock);
            State state = entry.state;
            long stamp = state.stamp();
            LocalKeyStatus status = new LocalKeyStatus(null, state, percent, now);
            @Nullable LimiterDecision decision = null;
            if (permits == 0) {
                decision = status.uncharged(clock);
            } else if (!admits(state, now, permits, percent)
                    || (State.isAwaited(stamp) && waiting.barring(entry, percent) != null)) {
                decision = denied(entry, stamp, status, clock, permits, State.NEVER, Outcome.DENIED);
            }
            State copy = decision == null ? state.copy() : state;
            if (!State.isLocked(stamp) && state.unchangedSince(stamp)) {
                decision = decision != null ? decision : ifTaken(entry, copy, stamp, percent, now, clock, permits);
                return decision.untaken();
            }
            relax(tries);
        }
    }

    /** What a key has used of each limit. Takes nothing. */
    List<KeyUsage> usage(String key) {
        long clock = clock();
        sweep(key, clock);
        Entry entry = look(key);
        return new LocalKeyStatus(null, entry.snapshot(), WHOLE, time(entry, clock)).usage();
    }

    /** The decision when permits are taken from {@code copy}, the state of a key that is only looked at. */
    private LimiterDecision ifTaken(
            Entry entry, State copy, long stamp, int percent, long now, long clock, long permits) {
        growAsALook(entry, copy);
        LocalKeyStatus status = new LocalKeyStatus(null, copy, percent, now);
        if (!copy.makeRoom(now, permits)) { // one limit takes the memory that another would need
            return denied(entry, stamp, status, clock, permits, State.NEVER, Outcome.DENIED);
        }
        long departsAt = copy.departsAt(now);
        copy.take(now, permits);
        return status.allowed(permits, clock, departsAt);
    }

    /** Lets a copy of an entry's state grow as the state itself could, without taking the memory. */
    void growAsALook(Entry entry, State copy) {
        copy.growWithin(memory.preview(entry.unreserved()));
    }

    boolean admits(
            Entry entry, State state, long stamp, long now, long permits, int percent, int needs, long maxDelay) {
        return admits(state, now, permits, percent)
                && !(State.isAwaited(stamp) && waiting.bar(entry, percent))
                && ((needs & DELAYS) == 0 || state.departsAt(now) - now <= maxDelay);
    }

    private static boolean admits(State state, long now, long permits, int percent) {
        return percent == 100 ? state.admits(now, permits) : state.admits(percent, now, permits);
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

    LimiterDecision denied(
            Entry entry, long stamp, LocalKeyStatus status, long clock, long permits, long maxDelay, Outcome why) {
        State state = status.state;
        long now = status.now;
        WaitQueue ahead = State.isAwaited(stamp) ? waiting.barring(entry, status.percent) : null;
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

    /** The denial of a wait that is not waited for. */
    Decision refusal(String key, long permits, int percent) {
        long clock = clock();
        Entry entry = look(key);
        long stamp = entry.state.stamp();
        LocalKeyStatus status = new LocalKeyStatus(null, entry.snapshot(), percent, time(entry, clock));
        return denied(entry, stamp, status, clock, permits, 0, Outcome.DENIED);
    }

    // ---- Refunds, releases and changes

    void refund(String key, LimiterDecision taken) {
        refund(key, taken, taken.permits());
    }

    /** Gives back the last {@code unused} of the permits that were taken, to each limit that was charged. */
    void refund(String key, LimiterDecision taken, long unused) {
        // looked up before: a counter that begins after the refund begins with what is left
        List<Entry> later = taken.counter() instanceof Entry charged ? keys.laterThan(charged, key) : List.of();
        update(key, taken, (state, now) -> {
            for (int i = 0; i < state.parts(); i++) {
                refund(state.part(i), now, taken, unused);
            }
        });
        for (Entry entry : later) {
            update(entry, clock(), (state, now) -> {
                for (int i = 0; i < state.parts(); i++) {
                    State part = state.part(i);
                    if (!(part.algorithm() instanceof Concurrency)) { // what is held is held of one counter
                        refund(part, now, taken, unused);
                    }
                }
            });
        }
    }

    private static void refund(State part, long now, LimiterDecision taken, long unused) {
        LimiterDecision charged = taken.chargedTo(part.algorithm().lineage());
        if (charged != null) {
            part.refund(now, charged.takenAtMicros(), charged.mark(), charged.charged(), unused);
        }
    }

    void release(String key, LimiterDecision taken) {
        update(key, taken, (state, now) -> {
            for (int i = 0; i < state.parts(); i++) {
                State part = state.part(i);
                LimiterDecision charged = taken.chargedTo(part.algorithm().lineage());
                if (charged != null) {
                    part.release(charged.mark(), taken.permits());
                }
            }
        });
    }

    void reset(String key) {
        Entry entry;
        do {
            entry = key.isEmpty() ? this : keys.findToReset(key);
        } while (entry != null && !replace(entry, State::cleared));
        if (entry != null) {
            serveWaiters(entry);
        }
    }

    /** Drops the keys with all that they have used, except those that are waited for. */
    void clear() {
        keys.clear();
    }

    /** Begins anew, at any time: refuses those who wait, and drops everything. */
    void restart() {
        waiting.refuseAll();
        keys.restart();
        replace(this, State::restarted);
    }

    /** Drops a few idle keys, when the memory is needed elsewhere. */
    void sweep() {
        keys.sweepIfDue(clock());
    }

    void change(List<Limit> limits) {
        changing.lock();
        try {
            enforce(compiled.changedTo(limits), clock());
        } finally {
            changing.unlock();
        }
        waiting.limitsChanged();
    }

    private void enforce(CompiledLimits next, long now) {
        needs |= needs(next); // before the first state follows the new limits
        compiled = next;
        UnaryOperator<State> migration = state -> state.migrateTo(next.algorithm(), now);
        replace(this, migration);
        keys.forEach(entry -> replace(entry, migration));
        needs = needs(next); // after the last one that followed the old
    }

    /** Changes the counter that a decision was charged to, if it still counts. */
    private void update(String key, LimiterDecision taken, ObjLongConsumer<State> change) {
        long clock = clock();
        sweep(key, clock);
        if (taken.counter() instanceof Entry charged) {
            update(charged, clock, change);
            return;
        }
        Entry found; // known by the key alone
        do {
            found = key.isEmpty() ? this : keys.find(key);
        } while (found != null && !update(found, clock, change));
    }

    /** Changes a counter, or what has come in its place; false if it was dropped. */
    private boolean update(Entry charged, long clock, ObjLongConsumer<State> change) {
        for (int tries = 0; ; tries++) {
            Entry entry = charged.current();
            long now = time(entry, clock);
            State state = entry.state;
            long stamp = state.stamp();
            if (state.tryLock(stamp)) {
                try {
                    change.accept(state, now);
                } finally {
                    state.unlock(stamp);
                }
                if (entry == charged) {
                    serveWaiters(entry);
                } else { // keys with entries of their own may wait for what was held of the shared one
                    waiting.reconsiderAll();
                }
                return true;
            }
            if (State.isDropped(stamp) && entry == charged && entry.current() == entry) {
                return false;
            }
            relax(tries);
        }
    }

    /** Puts another state in the place of an entry's; false if the entry was dropped. */
    private boolean replace(Entry entry, UnaryOperator<State> next) {
        return entry.replace(state -> {
            State replacement = next.apply(state);
            memory.reserve(replacement.bytes() - state.bytes());
            replacement.growWithin(memory);
            return replacement;
        });
    }

    /** Serves the waiters of an entry that has changed. */
    private void serveWaiters(Entry entry) {
        if (State.isAwaited(entry.state.stamp())) {
            waiting.reconsider(entry);
        }
    }

    // ---- Keys and time

    Memory memory() {
        return memory;
    }

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

    /** Whether a window follows a wall clock that can be set. */
    boolean followsWallClock() {
        return (needs & WALL_CLOCK) != 0;
    }

    Entry entry(String key) {
        return key.isEmpty() ? this : keys.entry(key);
    }

    /** The entry of a key that is only looked at; one that nobody else sees, if the key is unknown. */
    Entry look(String key) {
        return key.isEmpty() ? this : keys.look(key);
    }

    /** The time to decide by for an entry when the clock says {@code clock}; ask after {@link #entry(String)}. */
    long time(Entry entry, long clock) {
        return entry == this ? clock : keys.time(clock);
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
                enforce(compiled.withWallSkew(skew), now);
            } finally {
                changing.unlock();
            }
            // later, because the thread may have the lock of a queue
            waiting.limitsChangedLater();
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
