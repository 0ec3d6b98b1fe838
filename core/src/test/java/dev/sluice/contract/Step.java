package dev.sluice.contract;

/**
 * One call of a trace.
 *
 * @param gapMicros how far the clock moves before the call
 * @param call what is called
 * @param key on which key
 * @param permits how many; for {@link Call#REFUND} and {@link Call#RELEASE}, which of the decisions that can still be
 *     given back
 * @param percent the share of the limiter that the call may use; for {@link Call#REFUND}, the part of what the decision
 *     still has that is given back
 */
record Step(long gapMicros, Call call, String key, long permits, int percent) {
    enum Call {
        DECIDE,
        PEEK,
        TRY,
        REFUND,
        RELEASE,
        RESET
    }

    static Step decide(long gapMicros, String key, long permits) {
        return new Step(gapMicros, Call.DECIDE, key, permits, 100);
    }

    Step gap(long micros) {
        return new Step(micros, call, key, permits, percent);
    }

    Step key(String other) {
        return new Step(gapMicros, call, other, permits, percent);
    }

    Step permits(long other) {
        return new Step(gapMicros, call, key, other, percent);
    }

    Step percent(int other) {
        return new Step(gapMicros, call, key, permits, other);
    }

    boolean gives() {
        return call == Call.REFUND || call == Call.RELEASE;
    }
}
