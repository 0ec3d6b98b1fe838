package dev.sluice.algorithm;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Several limits on one key, all or nothing: a request is charged to every one of them, or to none.
 *
 * <p>Why this is simple: the states share one {@linkplain Stamped stamp}, so asking each and then charging each is one
 * step. No limit that admits now stops admitting later by itself, so the time when all admit is the latest of the
 * times when each does.
 */
public record AllOf(List<Algorithm> limits) implements Algorithm {
    @Override
    public State fresh() {
        return new Parts(this, limits.stream().map(Algorithm::fresh).toArray(State[]::new));
    }

    @Override
    public long capacity() {
        return limits.stream().mapToLong(Algorithm::capacity).min().orElseThrow();
    }

    /** Part by part, in order; parts that had no counterpart begin fresh. */
    @Override
    public State carry(State old, long now) {
        State[] parts = new State[limits.size()];
        for (int i = 0; i < parts.length; i++) {
            State from = old.part(i);
            parts[i] = from == null ? limits.get(i).fresh() : limits.get(i).carry(from, now);
        }
        return new Parts(this, parts);
    }

    private static final class Parts extends State {
        private final AllOf limit;
        private final State[] parts;

        Parts(AllOf limit, State[] parts) {
            this.limit = limit;
            this.parts = parts;
        }

        @Override
        public Algorithm algorithm() {
            return limit;
        }

        @Override
        public @Nullable State part(int index) {
            return index < parts.length ? parts[index] : null;
        }

        @Override
        public boolean admits(long now, long cost) {
            for (State part : parts) {
                if (!part.admits(now, cost)) {
                    return false;
                }
            }
            return true;
        }

        @Override
        public boolean take(long stamp, long now, long cost) {
            if (!hold(stamp)) {
                return false;
            }
            long time = Math.max(now, latest());
            for (State part : parts) {
                part.take(time, cost);
            }
            return true;
        }

        @Override
        public long latest() {
            long latest = ANCIENT;
            for (State part : parts) {
                latest = Math.max(latest, part.latest());
            }
            return latest;
        }

        @Override
        public long used(long now) {
            return limit.capacity() - remaining(now);
        }

        @Override
        public long remaining(long now) {
            return remaining(100, now);
        }

        @Override
        public long readyAt(long now, long cost) {
            return readyAt(100, now, cost);
        }

        @Override
        public long freshAt(long now) {
            long freshAt = ANCIENT;
            for (State part : parts) {
                freshAt = Math.max(freshAt, part.freshAt(now));
            }
            return freshAt;
        }

        @Override
        public long departsAt(long now) {
            long departsAt = now;
            for (State part : parts) {
                departsAt = Math.max(departsAt, part.departsAt(now));
            }
            return departsAt;
        }

        @Override
        public void giveBack(long now, long takenAt, long cost) {
            for (State part : parts) {
                part.giveBack(now, takenAt, cost);
            }
        }

        @Override
        public void release(long now, long cost) {
            for (State part : parts) {
                part.release(now, cost);
            }
        }

        @Override
        public State copy() {
            return new Parts(limit, Arrays.stream(parts).map(State::copy).toArray(State[]::new));
        }

        @Override
        public boolean fits(int percent, long cost) {
            for (State part : parts) {
                if (!part.fits(percent, cost)) {
                    return false;
                }
            }
            return true;
        }

        @Override
        public boolean admits(int percent, long now, long cost) {
            for (State part : parts) {
                if (!part.admits(percent, now, cost)) {
                    return false;
                }
            }
            return true;
        }

        @Override
        public long readyAt(int percent, long now, long cost) {
            return slowest(percent, now, cost).readyAt(percent, now, cost);
        }

        @Override
        public long soonestAt(int percent, long now, long cost) {
            long soonestAt = now;
            for (State part : parts) {
                soonestAt = Math.max(soonestAt, part.soonestAt(percent, now, cost));
            }
            return soonestAt;
        }

        @Override
        public long remaining(int percent, long now) {
            return scarcest(percent, now).remaining(percent, now);
        }

        @Override
        public State scarcest(int percent, long now) {
            State scarcest = parts[0];
            for (State part : parts) {
                if (part.remaining(percent, now) < scarcest.remaining(percent, now)) {
                    scarcest = part;
                }
            }
            return scarcest;
        }

        @Override
        public State slowest(int percent, long now, long cost) {
            State slowest = parts[0];
            for (State part : parts) {
                if (part.readyAt(percent, now, cost) > slowest.readyAt(percent, now, cost)) {
                    slowest = part;
                }
            }
            return slowest;
        }
    }
}
