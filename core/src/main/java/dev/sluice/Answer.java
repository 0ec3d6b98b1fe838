package dev.sluice;

import dev.sluice.algorithm.State;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * What a caller is told. {@code now} is the time by which the limiter decides, {@code clock} what its clock says: the
 * two differ only after the clock has stepped far back, and what is left to wait is told by the clock.
 */
interface Answer<R> {
    /** The permits were taken; the state is as it is after that. */
    R allowed(State state, long now, long clock, long permits, long departsAt);

    /** Nothing was taken. */
    R denied(Cell cell, State state, long now, long clock, long permits, long maxDelay, Outcome why);

    /** The outcome alone. */
    Answer<Outcome> OUTCOME = new Answer<>() {
        @Override
        public Outcome allowed(State state, long now, long clock, long permits, long departsAt) {
            return Outcome.ALLOWED;
        }

        @Override
        public Outcome denied(Cell cell, State state, long now, long clock, long permits, long maxDelay, Outcome why) {
            return why;
        }
    };

    /** The whole decision, for requests of one share. */
    record Whole(Engine engine, int percent) implements Answer<Decision> {
        @Override
        public Decision allowed(State state, long now, long clock, long permits, long departsAt) {
            State tightest = state.scarcest(percent, now);
            Decision all = Decision.allowed(
                    permits,
                    tightest.algorithm().capacity(),
                    tightest.remaining(percent, now),
                    until(state.freshAt(now), clock),
                    departsAt == now ? 0 : until(departsAt, clock),
                    Math.max(now, state.latest()));
            return state.part(1) == null
                    ? all
                    : all.withParts(parts(state, part -> granted(part, now, clock, permits, all.takenAtMicros())));
        }

        @Override
        public Decision denied(Cell cell, State state, long now, long clock, long permits, long maxDelay, Outcome why) {
            long readyAt = why == Outcome.SHED
                    ? engine.unshedAt(state, now)
                    : engine.readyAt(cell, state, now, permits, percent, maxDelay);
            Decision all = Decision.denied(
                    state.fits(percent, permits) ? why : Outcome.NEVER,
                    permits,
                    state.slowest(percent, now, permits).algorithm().capacity(),
                    engine.isBarred(cell, percent) ? 0 : state.remaining(percent, now),
                    until(readyAt, clock),
                    until(state.freshAt(now), clock));
            return state.part(1) == null ? all : all.withParts(parts(state, part -> alone(part, now, clock, permits)));
        }

        private static List<Decision> parts(State state, Function<State, Decision> told) {
            List<Decision> parts = new ArrayList<>();
            for (State part = state.part(0); part != null; part = state.part(parts.size())) {
                parts.add(told.apply(part));
            }
            return parts;
        }

        /** What one of several limits says when all of them were charged, or would have been. */
        private Decision granted(State part, long now, long clock, long permits, long takenAt) {
            return Decision.allowed(
                    permits,
                    part.algorithm().capacity(),
                    part.remaining(percent, now),
                    until(part.freshAt(now), clock),
                    0,
                    takenAt);
        }

        /** What one of several limits says when none was charged. */
        private Decision alone(State part, long now, long clock, long permits) {
            return part.admits(percent, now, permits)
                    ? granted(part, now, clock, permits, 0)
                    : Decision.denied(
                            part.fits(percent, permits) ? Outcome.DENIED : Outcome.NEVER,
                            permits,
                            part.algorithm().capacity(),
                            part.remaining(percent, now),
                            until(part.readyAt(percent, now, permits), clock),
                            until(part.freshAt(now), clock));
        }

        private static long until(long instant, long clock) {
            return instant == State.NEVER ? Decision.NEVER_MICROS : Math.max(0, instant - clock);
        }
    }
}
