package dev.sluice.spi;

import dev.sluice.Decision;
import dev.sluice.Outcome;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How the limits of one key stand for requests that may use a certain share of them, and the decisions that follow. A
 * store says what it knows of each limit; every {@link Decision} on a request is built here.
 *
 * <p>Limits have numbers from 0 on. Instants are microseconds on the store's clock.
 */
public abstract class KeyStatus {
    /** The instant that never comes. */
    public static final long NEVER = Long.MAX_VALUE;

    /** The number of limits, 1 or more. */
    protected abstract int limits();

    /** The largest number of permits that a limit can grant at once. */
    protected abstract long capacity(int limit);

    /** The part of the capacity that the share may use. */
    protected abstract long room(int limit);

    /** The permits that the share can take from a limit right now. */
    protected abstract long remaining(int limit);

    /** The first instant at which a limit admits {@code permits}, which fit its room, if nobody else comes. */
    protected abstract long readyAt(int limit, long permits);

    /** The instant from which nothing of a limit is in use any more. */
    protected abstract long freshAt(int limit);

    /** What the state of a limit, which was just charged, says about those permits; a refund needs it. */
    protected abstract long mark(int limit);

    /** Which limit it is, of all that the limiter has had. */
    protected abstract Object limitId(int limit);

    /** The counter of the key, where the store knows it by reference; decisions that take permits have it. */
    protected @Nullable Object counter() {
        return null;
    }

    /** The decision when all limits were charged. */
    public final LimiterDecision allowed(long permits, long now, long delayMicros, long takenAtMicros) {
        int tightest = 0;
        for (int i = 1; i < limits(); i++) {
            tightest = remaining(i) < remaining(tightest) ? i : tightest;
        }
        LimiterDecision all = LimiterDecision.allowed(
                permits,
                capacity(tightest),
                remaining(tightest),
                until(lastFreshAt(), now),
                delayMicros,
                takenAtMicros,
                limits() == 1 ? mark(0) : 0,
                limits() == 1 ? limitId(0) : null,
                permits > 0 ? counter() : null);
        if (limits() == 1) {
            return all;
        }
        List<LimiterDecision> parts = new ArrayList<>(limits());
        for (int i = 0; i < limits(); i++) {
            parts.add(charged(i, permits, now, takenAtMicros));
        }
        return all.withParts(parts);
    }

    /**
     * The decision when no limit was charged.
     *
     * @param why why the request is denied, if it fits the room of all limits
     * @param remaining the permits that can be taken right now
     * @param readyAt the instant at which the same request would be allowed
     */
    public final LimiterDecision denied(Outcome why, long permits, long now, long remaining, long readyAt) {
        int slowest = 0;
        boolean fits = permits <= room(0);
        for (int i = 1; i < limits(); i++) {
            slowest = readyAtOrNever(i, permits) > readyAtOrNever(slowest, permits) ? i : slowest;
            fits &= permits <= room(i);
        }
        LimiterDecision all = LimiterDecision.denied(
                fits ? why : Outcome.NEVER,
                permits,
                capacity(slowest),
                remaining,
                until(readyAt, now),
                until(lastFreshAt(), now));
        if (limits() == 1) {
            return all;
        }
        List<LimiterDecision> parts = new ArrayList<>(limits());
        for (int i = 0; i < limits(); i++) {
            parts.add(uncharged(i, permits, now));
        }
        return all.withParts(parts);
    }

    /** The permits that can be taken from all limits right now. */
    public final long remaining() {
        long least = remaining(0);
        for (int i = 1; i < limits(); i++) {
            least = Math.min(least, remaining(i));
        }
        return least;
    }

    /** The first instant at which all limits admit {@code permits} if nobody else comes. */
    public final long readyAt(long permits) {
        long latest = readyAtOrNever(0, permits);
        for (int i = 1; i < limits(); i++) {
            latest = Math.max(latest, readyAtOrNever(i, permits));
        }
        return latest;
    }

    /** What is left at {@code now} of the time to {@code instant}, as a {@link Decision} has it. */
    public static long until(long instant, long now) {
        if (instant == NEVER) {
            return Decision.NEVER_MICROS;
        }
        return instant <= now ? 0 : instant - now;
    }

    private LimiterDecision charged(int limit, long permits, long now, long takenAtMicros) {
        return LimiterDecision.allowed(
                permits,
                capacity(limit),
                remaining(limit),
                until(freshAt(limit), now),
                0,
                takenAtMicros,
                mark(limit),
                limitId(limit),
                null);
    }

    private LimiterDecision uncharged(int limit, long permits, long now) {
        if (permits <= remaining(limit)) {
            return charged(limit, permits, now, 0).untaken();
        }
        return LimiterDecision.denied(
                permits <= room(limit) ? Outcome.DENIED : Outcome.NEVER,
                permits,
                capacity(limit),
                remaining(limit),
                until(readyAtOrNever(limit, permits), now),
                until(freshAt(limit), now));
    }

    private long readyAtOrNever(int limit, long permits) {
        return permits <= room(limit) ? readyAt(limit, permits) : NEVER;
    }

    private long lastFreshAt() {
        long latest = freshAt(0);
        for (int i = 1; i < limits(); i++) {
            latest = Math.max(latest, freshAt(i));
        }
        return latest;
    }
}
