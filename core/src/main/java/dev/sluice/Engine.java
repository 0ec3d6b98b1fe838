package dev.sluice;

import dev.sluice.algorithm.State;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.ObjLongConsumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The one operation behind every face of a limiter: look the state up, ask it, charge it.
 *
 * <p><b>How is it designed, and why?</b> The state of a key is several words under one {@linkplain
 * dev.sluice.algorithm.Stamped stamp}. A call reads the clock once, reads the state, and decides. If the answer is no,
 * it checks that nothing changed meanwhile and has written nothing. If it is yes, one compare-and-set takes hold of the
 * state and proves at the same time that it still is what was read; then the new words are written. Whoever finds the
 * state held starts over from the look-up, which is also how a state is replaced: put another in its place and leave
 * the old one held for ever.
 *
 * <p>The state of a limiter without a key is the engine's own: the engine is the cell of the empty key. Reading the clock
 * does not overlap with what comes after it, so that on the way of a call each pointer to follow is time.
 *
 * <p>Whoever must wait stands in a {@link Line} beside the state, and the stamp says so; without a line, waiting costs
 * the others nothing.
 */
final class Engine extends Cell {
    private static final int HOLDS = 1;
    private static final int DELAYS = 2;
    private static final int WALL_CLOCK = 4;

    private static final int FIRST_PAUSES = 64;
    private static final int TRIES_BEFORE_YIELD = 3;
    private static final long WALL_CHECK_MICROS = 10_000;
    private static final long WALL_TOLERANCE_MICROS = 1000;

    final Timer timer;
    final Ticker ticker;

    private final long originNanos;
    /** Microseconds since 1970; null where the ticker itself counts from there. */
    private final @Nullable LongSupplier wallClock;

    private final ReentrantLock changing = new ReentrantLock();
    private final @Nullable Shedding shedding;
    private final Keys keys;
    private final ConcurrentHashMap<Cell, Line> lines = new ConcurrentHashMap<>();

    private volatile Plan plan;
    /** What the plan needs beyond the usual, in one word that a call reads once. */
    private volatile int needs;

    private volatile long wallCheckAt;

    Engine(
            Plan plan,
            Ticker ticker,
            @Nullable LongSupplier wallClock,
            Timer timer,
            int maxKeys,
            @Nullable Shedding shedding) {
        super("", 0, plan.algorithm().fresh());
        this.ticker = ticker;
        this.timer = timer;
        this.shedding = shedding;
        this.wallClock = wallClock;
        this.originNanos = wallClock == null ? 0 : ticker.nanos();
        this.plan = plan;
        this.needs = needs(plan);
        this.keys = new Keys(maxKeys, () -> this.plan.algorithm().fresh());
    }

    // ---- The operation

    /** Takes {@code permits} if they are admitted with a delay of at most {@code maxDelay}. */
    <R> R attempt(long clock, String key, long permits, int percent, long maxDelay, Answer<R> answer) {
        int needs = this.needs;
        boolean keyed = sweep(key, clock);
        for (int tries = 0; ; tries++) {
            Cell cell = cell(key);
            long now = keyed ? keys.time(clock) : clock;
            State state = cell.state;
            long stamp = state.stamp();
            if (!State.isHeld(stamp)) {
                if (!admits(cell, state, stamp, now, permits, percent, needs, maxDelay)) {
                    R denied = answer.denied(cell, state, now, clock, permits, maxDelay, Outcome.DENIED);
                    if (state.unchangedSince(stamp)) {
                        return denied;
                    }
                } else if (shedding != null && shedding.sheds(state, now)) {
                    R shed = answer.denied(cell, state, now, clock, permits, maxDelay, Outcome.SHED);
                    if (state.unchangedSince(stamp)) {
                        return shed;
                    }
                } else {
                    long departsAt = (needs & DELAYS) != 0 ? state.departsAt(now) : now;
                    if (state.take(stamp, now, permits)) {
                        try {
                            return answer.allowed(state, now, clock, permits, departsAt);
                        } finally {
                            state.free(stamp);
                        }
                    }
                }
            }
            relax(tries);
        }
    }

    /** What {@link #attempt} would say, with nothing taken. The dice of shedding are not thrown. */
    Decision peek(String key, long permits, int percent) {
        Answer<Decision> answer = new Answer.Whole(this, percent);
        long clock = clock();
        boolean keyed = sweep(key, clock);
        for (int tries = 0; ; tries++) {
            Cell cell = cell(key);
            long now = keyed ? keys.time(clock) : clock;
            State state = cell.state;
            long stamp = state.stamp();
            Decision decision;
            if (permits == 0) {
                decision = answer.allowed(state, now, clock, 0, state.departsAt(now));
            } else if (admits(cell, state, stamp, now, permits, percent, needs, State.NEVER)) {
                State copy = state.copy();
                long departsAt = copy.departsAt(now);
                copy.take(now, permits);
                decision = answer.allowed(copy, now, clock, permits, departsAt);
            } else {
                decision = answer.denied(cell, state, now, clock, permits, State.NEVER, Outcome.DENIED);
            }
            if (!State.isHeld(stamp) && state.unchangedSince(stamp)) {
                return decision;
            }
            relax(tries);
        }
    }

    private boolean admits(
            Cell cell, State state, long stamp, long now, long permits, int percent, int needs, long maxDelay) {
        boolean admitted = percent == 100 ? state.admits(now, permits) : state.admits(percent, now, permits);
        return admitted
                && !(State.isAwaited(stamp) && isBarred(cell, percent))
                && ((needs & DELAYS) == 0 || state.departsAt(now) - now <= maxDelay);
    }

    /** When the same request would be admitted if nobody else came, those who wait being served first. */
    long readyAt(Cell cell, State state, long now, long permits, int percent, long maxDelay) {
        Line line = lineFor(cell);
        if (line != null && line.bars(percent)) {
            return line.turnOf(permits, percent, now);
        }
        long readyAt = state.readyAt(percent, now, permits);
        long tooLate = (needs & DELAYS) != 0 ? state.departsAt(now) - now - maxDelay : 0;
        return tooLate > 0 ? Math.max(readyAt, now + tooLate) : readyAt;
    }

    /** When nobody is shed any more if nobody else comes. */
    long unshedAt(State state, long now) {
        return shedding == null ? now : state.readyAt(shedding.fromPercent, now, 0);
    }

    /** Whether those who wait for the cell have come before a request of this share. */
    boolean isBarred(Cell cell, int percent) {
        Line line = lineFor(cell);
        return line != null && line.bars(percent);
    }

    private @Nullable Line lineFor(Cell cell) {
        return State.isAwaited(cell.state.stamp()) ? lines.get(cell) : null;
    }

    // ---- Waiting

    /** Whether one can wait in line: of a queue, only so many wait as it admits. */
    boolean canWait() {
        return (needs & DELAYS) == 0;
    }

    /** Waits out the delay of a request that was admitted. */
    CompletableFuture<Decision> delayed(String key, Decision admitted) {
        CompletableFuture<Decision> turn = new CompletableFuture<>();
        Runnable cancel = timer.after(admitted.delayMicros(), () -> turn.complete(admitted.undelayed()));
        turn.whenComplete((decision, cancelled) -> {
            cancel.run();
            if (cancelled != null) {
                refund(key, admitted);
            }
        });
        return turn;
    }

    /** Waits for permits that were not to be had at once. */
    CompletableFuture<Decision> await(String key, long permits, int percent, long waitMicros) {
        long now = clock();
        long deadline = waitMicros > State.NEVER - Math.max(0, now) ? State.NEVER : now + waitMicros;
        for (int tries = 0; ; tries++) {
            Cell cell = cell(key);
            Line line = lines.computeIfAbsent(cell, c -> new Line(this, c));
            Line.Waiter waiter = line.join(key, permits, percent, deadline);
            if (waiter != null) {
                waiter.whenComplete((decision, cancelled) -> {
                    if (cancelled != null) {
                        line.leave(waiter);
                    }
                });
                return waiter;
            }
            relax(tries);
        }
    }

    /** The line has dissolved. */
    void remove(Cell cell, Line line) {
        lines.remove(cell, line);
    }

    // ---- Giving back and changing

    void refund(String key, Decision taken) {
        update(key, (state, now) -> state.giveBack(now, taken.takenAtMicros(), taken.permits()));
    }

    void release(String key, Decision taken) {
        update(key, (state, now) -> state.release(now, taken.permits()));
    }

    void reset(String key) {
        Cell cell;
        do {
            cell = cell(key);
        } while (!replace(cell, state -> plan.algorithm().fresh()));
        reconsider(cell);
    }

    void change(List<Limit> limits) {
        changing.lock();
        try {
            enforce(Plan.of(limits, plan.wallSkewMicros()), clock());
        } finally {
            changing.unlock();
        }
        lines.values().forEach(Line::reconsider);
    }

    private void enforce(Plan next, long now) {
        plan = next;
        needs = needs(next);
        UnaryOperator<State> goOn = state -> state.goOnAs(next.algorithm(), now);
        replace(this, goOn);
        keys.forEach(cell -> replace(cell, goOn));
    }

    private void update(String key, ObjLongConsumer<State> change) {
        long clock = clock();
        boolean keyed = sweep(key, clock);
        for (int tries = 0; ; tries++) {
            Cell cell = cell(key);
            long now = keyed ? keys.time(clock) : clock;
            State state = cell.state;
            long stamp = state.stamp();
            if (state.hold(stamp)) {
                try {
                    change.accept(state, now);
                } finally {
                    state.free(stamp);
                }
                reconsider(cell);
                return;
            }
            relax(tries);
        }
    }

    /** Puts another state in the place of a cell's; false if the cell was dropped. */
    private boolean replace(Cell cell, UnaryOperator<State> next) {
        for (int tries = 0; ; tries++) {
            State state = cell.state;
            long stamp = state.stamp();
            if (State.isGone(stamp)) {
                return false;
            }
            if (state.hold(stamp)) {
                State replacement;
                try {
                    replacement = next.apply(state);
                } catch (RuntimeException | Error e) {
                    state.free(stamp);
                    throw e;
                }
                if (State.isAwaited(stamp)) {
                    replacement.freeAwaited(replacement.stamp());
                }
                cell.state = replacement;
                return true;
            }
            relax(tries);
        }
    }

    /** Lets those who wait for the cell know that it has changed. */
    private void reconsider(Cell cell) {
        Line line = lineFor(cell);
        if (line != null) {
            line.reconsider();
        }
    }

    // ---- Keys and time

    Plan plan() {
        return plan;
    }

    /** Whether permits are held until released. */
    boolean holds() {
        return (needs & HOLDS) != 0;
    }

    int keyCount() {
        return keys.size();
    }

    int longestProbe() {
        return keys.longestProbe();
    }

    private Cell cell(String key) {
        return key.isEmpty() ? this : keys.cell(LongKey.of(key));
    }

    /** Drops a few keys if they are due to go; false if there is no key. */
    private boolean sweep(String key, long clock) {
        if (key.isEmpty()) {
            return false;
        }
        keys.sweepIfDue(clock);
        return true;
    }

    /** Microseconds on the limiter's own clock. */
    long clock() {
        return clock(ticker.nanos());
    }

    /** Microseconds on the limiter's own clock, when its ticker says so. */
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

    private int needs(Plan plan) {
        return (plan.holds() ? HOLDS : 0)
                | (plan.delays() ? DELAYS : 0)
                | (wallClock != null && plan.readsWallClock() ? WALL_CLOCK : 0);
    }

    /**
     * Windows that turn by the wall clock are kept on ours, by the difference between the two. It changes when the wall
     * clock is set or the machine slept; then the windows that are open are moved along.
     */
    private void followWallClock(long now) {
        long skew = wallClock == null ? 0 : wallClock.getAsLong() - now;
        if (micros(ticker.nanos()) - now > WALL_TOLERANCE_MICROS) {
            return; // held up between the two clocks: the difference means nothing, the next call looks again
        }
        wallCheckAt = now + WALL_CHECK_MICROS;
        // tried, not waited for: whoever changes the limits may be waiting for us
        if (Math.abs(skew - plan.wallSkewMicros()) > WALL_TOLERANCE_MICROS && changing.tryLock()) {
            try {
                enforce(Plan.of(plan.limits(), skew), now);
            } finally {
                changing.unlock();
            }
        }
    }

    /**
     * Steps aside for a moment, longer each time: two that want the same state at the same time get more done in turns of
     * many calls than call by call. Whoever holds a state for long has lost its processor; lend it ours.
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
