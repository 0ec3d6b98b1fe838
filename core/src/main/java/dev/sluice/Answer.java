package dev.sluice;

import dev.sluice.algorithm.State;

/** What a caller is told: a plain yes or no, or the whole {@link Decision}. */
interface Answer<R> {
    /** The permits were taken; the state is as it is after that. */
    R allowed(State state, long now, long clock, long permits, int percent, long takenAt, long departsAt);

    /** Nothing was taken. */
    R denied(Engine engine, Cell cell, State state, long now, long clock, long permits, int percent, Outcome why);

    Answer<Boolean> YES_OR_NO = new Answer<>() {
        @Override
        public Boolean allowed(
                State state, long now, long clock, long permits, int percent, long takenAt, long departsAt) {
            return Boolean.TRUE;
        }

        @Override
        public Boolean denied(
                Engine engine, Cell cell, State state, long now, long clock, long permits, int percent, Outcome why) {
            return Boolean.FALSE;
        }
    };

    Answer<Decision> WHOLE = new Answer<>() {
        @Override
        public Decision allowed(
                State state, long now, long clock, long permits, int percent, long takenAt, long departsAt) {
            State tightest = state.scarcest(percent, now);
            return Decision.allowed(
                    permits,
                    tightest.algorithm().capacity(),
                    tightest.remaining(percent, now),
                    until(state.freshAt(now), clock),
                    departsAt == now ? 0 : until(departsAt, clock),
                    takenAt);
        }

        @Override
        public Decision denied(
                Engine engine, Cell cell, State state, long now, long clock, long permits, int percent, Outcome why) {
            boolean fits = state.fits(percent, permits);
            boolean barred = engine.isBarred(cell, percent);
            long readyAt;
            if (why == Outcome.SHED && engine.shedding() != null) {
                readyAt = state.readyAt(engine.shedding().fromPercent, now, 0);
            } else {
                readyAt = engine.readyAt(cell, state, now, permits, percent);
            }
            return Decision.denied(
                    fits ? why : Outcome.NEVER,
                    permits,
                    state.slowest(percent, now, permits).algorithm().capacity(),
                    barred ? 0 : state.remaining(percent, now),
                    until(readyAt, clock),
                    until(state.freshAt(now), clock));
        }
    };

    /** Microseconds from {@code clock} to {@code instant}, 0 if it has passed. */
    static long until(long instant, long clock) {
        return instant == State.NEVER ? Decision.NEVER_MICROS : Math.max(0, instant - clock);
    }
}
