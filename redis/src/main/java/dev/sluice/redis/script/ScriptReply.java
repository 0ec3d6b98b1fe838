package dev.sluice.redis.script;

import dev.sluice.Decision;
import dev.sluice.Outcome;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** The reply of a script: the state of each limit in numbers, from which the decision is built. */
public final class ScriptReply {
    private static final int ADMITTED = 1;
    private static final int OUT_OF_WINDOW = 3;

    private static final int NOW = 1;
    private static final int TAKEN_AT = NOW + Double.BYTES;
    private static final int DEPARTS_AT = TAKEN_AT + Double.BYTES;
    private static final int LIMITS = DEPARTS_AT + Double.BYTES;
    private static final int NUMBERS_OF_A_LIMIT = 3;

    private final ByteBuffer packed;
    private final int first;

    public ScriptReply(byte[] packed) {
        this(ByteBuffer.wrap(packed), 0);
    }

    private ScriptReply(ByteBuffer packed, int first) {
        this.packed = packed;
        this.first = first;
    }

    /** The same reply with the limits counted from {@code first}. */
    public ScriptReply from(int first) {
        return new ScriptReply(packed, first);
    }

    /** Whether all limits admitted the permits. */
    public boolean isAdmitted() {
        return packed.get(0) == ADMITTED;
    }

    /** Whether a calendar window has ended, so that the script did nothing. */
    public boolean isOutOfWindow() {
        return packed.get(0) == OUT_OF_WINDOW;
    }

    /** The server's time. */
    public long nowMicros() {
        return micros(NOW);
    }

    /** The decision on a request that accepts a delay of up to {@code maxDelay}. */
    public Decision decision(LimitScripts scripts, long permits, int percent, long maxDelay) {
        return isAdmitted() ? admitted(scripts, permits, percent) : denied(scripts, permits, percent, maxDelay);
    }

    /** What these limits alone say to a request that was denied, by them or by others in the same script. */
    public Decision withoutTaking(LimitScripts scripts, long permits, int percent) {
        for (int i = 0; i < scripts.arguments().size(); i++) {
            if (permits > remaining(scripts.arguments().get(i), i, percent)) {
                return denied(scripts, permits, percent, LimitScripts.ANY_DELAY);
            }
        }
        return admitted(scripts, permits, percent);
    }

    private Decision admitted(LimitScripts scripts, long permits, int percent) {
        List<ScriptArguments> limits = scripts.arguments();
        ScriptArguments tightest = limits.get(0);
        long remaining = remaining(tightest, 0, percent);
        long freshAt = freshAt(0);
        for (int i = 1; i < limits.size(); i++) {
            if (remaining(limits.get(i), i, percent) < remaining) {
                tightest = limits.get(i);
                remaining = remaining(tightest, i, percent);
            }
            freshAt = Math.max(freshAt, freshAt(i));
        }
        long takenAt = micros(TAKEN_AT);
        Decision all = Decision.allowed(
                permits,
                tightest.limit().capacity(),
                remaining,
                until(freshAt),
                micros(DEPARTS_AT) - nowMicros(),
                takenAt);
        if (limits.size() == 1) {
            return all;
        }
        List<Decision> parts = new ArrayList<>(limits.size());
        for (int i = 0; i < limits.size(); i++) {
            parts.add(granted(limits.get(i), i, permits, percent, takenAt));
        }
        return all.withParts(parts);
    }

    private Decision denied(LimitScripts scripts, long permits, int percent, long maxDelay) {
        List<ScriptArguments> limits = scripts.arguments();
        List<Decision> parts = new ArrayList<>(limits.size());
        ScriptArguments slowest = limits.get(0);
        long remaining = Long.MAX_VALUE;
        long freshAt = Long.MIN_VALUE;
        long readyAt = Long.MIN_VALUE;
        boolean fits = true;
        for (int i = 0; i < limits.size(); i++) {
            ScriptArguments each = limits.get(i);
            fits &= permits <= each.room(percent);
            if (readyAt(each, i, permits, percent) > readyAt) {
                slowest = each;
                readyAt = readyAt(each, i, permits, percent);
            }
            remaining = Math.min(remaining, remaining(each, i, percent));
            freshAt = Math.max(freshAt, freshAt(i));
            parts.add(alone(each, i, permits, percent));
        }
        if (micros(DEPARTS_AT) - nowMicros() > maxDelay) {
            readyAt = Math.max(readyAt, micros(DEPARTS_AT) - maxDelay);
        }
        Decision all = Decision.denied(
                fits ? Outcome.DENIED : Outcome.NEVER,
                permits,
                slowest.limit().capacity(),
                remaining,
                until(readyAt),
                until(freshAt));
        return limits.size() == 1 ? all : all.withParts(parts);
    }

    private Decision granted(ScriptArguments limit, int index, long permits, int percent, long takenAt) {
        return Decision.allowed(
                permits, limit.limit().capacity(), remaining(limit, index, percent), until(freshAt(index)), 0, takenAt);
    }

    /** What one limit says when none was charged. */
    private Decision alone(ScriptArguments limit, int index, long permits, int percent) {
        if (permits <= remaining(limit, index, percent)) {
            return granted(limit, index, permits, percent, 0);
        }
        return Decision.denied(
                permits <= limit.room(percent) ? Outcome.DENIED : Outcome.NEVER,
                permits,
                limit.limit().capacity(),
                remaining(limit, index, percent),
                until(readyAt(limit, index, permits, percent)),
                until(freshAt(index)));
    }

    private long remaining(ScriptArguments limit, int index, int percent) {
        return Math.max(0, limit.room(percent) - micros(at(index)));
    }

    private long freshAt(int index) {
        return micros(at(index) + Double.BYTES);
    }

    private long readyAt(ScriptArguments limit, int index, long permits, int percent) {
        return permits <= limit.room(percent) ? micros(at(index) + 2 * Double.BYTES) : Long.MAX_VALUE;
    }

    private int at(int index) {
        return LIMITS + (first + index) * NUMBERS_OF_A_LIMIT * Double.BYTES;
    }

    private long until(long instant) {
        if (instant == Long.MAX_VALUE) {
            return Decision.NEVER_MICROS;
        }
        return instant <= nowMicros() ? 0 : instant - nowMicros();
    }

    /** Instants that never come, or are before all others, are the largest and the least number. */
    private long micros(int at) {
        return (long) packed.getDouble(at);
    }
}
