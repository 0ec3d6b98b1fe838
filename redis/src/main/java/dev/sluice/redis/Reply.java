package dev.sluice.redis;

import dev.sluice.Decision;
import dev.sluice.Outcome;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** What a script replied: how each limit stands, in numbers, of which a decision is made here. */
final class Reply {
    private static final int ADMITTED = 1;
    private static final int OUT_OF_SPAN = 3;

    private static final int NOW = 1;
    private static final int TAKEN_AT = NOW + Double.BYTES;
    private static final int DEPARTS_AT = TAKEN_AT + Double.BYTES;
    private static final int LIMITS = DEPARTS_AT + Double.BYTES;
    private static final int NUMBERS_OF_A_LIMIT = 3;

    private final ByteBuffer packed;
    private final int first;

    Reply(byte[] packed) {
        this(ByteBuffer.wrap(packed), 0);
    }

    private Reply(ByteBuffer packed, int first) {
        this.packed = packed;
        this.first = first;
    }

    /** What was said of the limits from {@code first} on. */
    Reply from(int first) {
        return new Reply(packed, first);
    }

    /** Whether the permits were admitted by all limits that were asked. */
    boolean isAdmitted() {
        return packed.get(0) == ADMITTED;
    }

    /** Whether the span of a calendar window was over, so that nothing was done. */
    boolean isOutOfSpan() {
        return packed.get(0) == OUT_OF_SPAN;
    }

    /** What time it was on the server. */
    long nowMicros() {
        return micros(NOW);
    }

    /** The decision on {@code permits} for requests of a share that accept a delay of up to {@code maxDelay}. */
    Decision decision(Plan plan, long permits, int percent, long maxDelay) {
        return isAdmitted() ? admitted(plan, permits, percent) : denied(plan, permits, percent, maxDelay);
    }

    /** What the limits of {@code plan} say when others among those that were asked did not admit the permits. */
    Decision standing(Plan plan, long permits, int percent) {
        for (int i = 0; i < plan.terms().size(); i++) {
            if (permits > remaining(plan.terms().get(i), i, percent)) {
                return denied(plan, permits, percent, SharedState.ANY_DELAY);
            }
        }
        return Receipts.ofNobody(admitted(plan, permits, percent));
    }

    private Decision admitted(Plan plan, long permits, int percent) {
        List<Terms> terms = plan.terms();
        Terms tightest = terms.get(0);
        long remaining = remaining(tightest, 0, percent);
        long freshAt = freshAt(0);
        for (int i = 1; i < terms.size(); i++) {
            if (remaining(terms.get(i), i, percent) < remaining) {
                tightest = terms.get(i);
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
        if (terms.size() == 1) {
            return all;
        }
        List<Decision> parts = new ArrayList<>(terms.size());
        for (int i = 0; i < terms.size(); i++) {
            parts.add(granted(terms.get(i), i, permits, percent, takenAt));
        }
        return all.withParts(parts);
    }

    private Decision denied(Plan plan, long permits, int percent, long maxDelay) {
        List<Terms> terms = plan.terms();
        List<Decision> parts = new ArrayList<>(terms.size());
        Terms slowest = terms.get(0);
        long remaining = Long.MAX_VALUE;
        long freshAt = Long.MIN_VALUE;
        long readyAt = Long.MIN_VALUE;
        boolean fits = true;
        for (int i = 0; i < terms.size(); i++) {
            Terms each = terms.get(i);
            fits &= permits <= each.room(percent);
            if (readyAt(each, i, permits, percent) > readyAt) {
                slowest = each;
                readyAt = readyAt(each, i, permits, percent);
            }
            remaining = Math.min(remaining, remaining(each, i, percent));
            freshAt = Math.max(freshAt, freshAt(i));
            parts.add(alone(each, i, permits, percent));
        }
        if (maxDelay >= 0) {
            readyAt = Math.max(readyAt, micros(DEPARTS_AT) - maxDelay);
        }
        Decision all = Decision.denied(
                fits ? Outcome.DENIED : Outcome.NEVER,
                permits,
                slowest.limit().capacity(),
                remaining,
                until(readyAt),
                until(freshAt));
        return terms.size() == 1 ? all : all.withParts(parts);
    }

    private Decision granted(Terms limit, int index, long permits, int percent, long takenAt) {
        return Decision.allowed(
                permits, limit.limit().capacity(), remaining(limit, index, percent), until(freshAt(index)), 0, takenAt);
    }

    /** What one limit says when none was charged. */
    private Decision alone(Terms limit, int index, long permits, int percent) {
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

    private long remaining(Terms limit, int index, int percent) {
        return Math.max(0, limit.room(percent) - micros(at(index)));
    }

    private long freshAt(int index) {
        return micros(at(index) + Double.BYTES);
    }

    private long readyAt(Terms limit, int index, long permits, int percent) {
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
