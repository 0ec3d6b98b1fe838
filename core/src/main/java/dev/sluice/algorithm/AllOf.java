package dev.sluice.algorithm;

import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * Several limits on one key, all or nothing: a request is charged to every one of them, or to none.
 *
 * <p>Why this is simple: the states share one {@linkplain SequenceLock stamp}, so asking each and then charging each is one
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

    @Override
    public Lineage lineage() {
        throw new UnsupportedOperationException("each limit has its own");
    }

    /** Each limit goes on from the one that it continues, wherever that stood; one that continues none begins fresh. */
    @Override
    public State migrate(State old, long now) {
        return new Parts(
                this, limits.stream().map(limit -> old.migrateOne(limit, now)).toArray(State[]::new));
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
        public int parts() {
            return parts.length;
        }

        @Override
        public State part(int index) {
            return parts[index];
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
            if (!tryLock(stamp)) {
                return false;
            }
            long time = Math.max(now, latest());
            if (!makeRoomOrUnlock(stamp, time, cost)) {
                return false;
            }
            for (State part : parts) {
                part.take(time, cost);
            }
            return true;
        }

        /** In every part before any is charged, so that either all are charged or none. */
        @Override
        public boolean makeRoom(long now, long cost) {
            long time = Math.max(now, latest());
            for (State part : parts) {
                if (!part.makeRoom(time, cost)) {
                    return false;
                }
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
        public long droppableAt(long now) {
            long droppableAt = ANCIENT;
            for (State part : parts) {
                droppableAt = Math.max(droppableAt, part.droppableAt(now));
            }
            return droppableAt;
        }

        @Override
        public long departsAt(long now) {
            long departsAt = now;
            for (State part : parts) {
                departsAt = Math.max(departsAt, part.departsAt(now));
            }
            return departsAt;
        }

        /** Each part is refunded by its own mark. */
        @Override
        public void refund(long now, long takenAt, long mark, long cost, long unused) {
            throw new UnsupportedOperationException("refund the parts");
        }

        @Override
        public State copy() {
            return mapped(State::copy);
        }

        @Override
        public State retired() {
            return mapped(State::retired);
        }

        @Override
        public State successor() {
            return mapped(State::successor);
        }

        @Override
        public long bytes() {
            long bytes = HeapSize.object(2, 8) + HeapSize.references(parts.length);
            for (State part : parts) {
                bytes += part.bytes();
            }
            return bytes;
        }

        @Override
        public void growWithin(Memory memory) {
            for (State part : parts) {
                part.growWithin(memory);
            }
        }

        private Parts mapped(UnaryOperator<State> change) {
            return new Parts(limit, Arrays.stream(parts).map(change).toArray(State[]::new));
        }

        @Override
        public State cleared() {
            return mapped(State::cleared);
        }

        @Override
        public State restarted() {
            return mapped(State::restarted);
        }

        @Override
        public long room(int percent) {
            long least = Long.MAX_VALUE;
            for (State part : parts) {
                least = Math.min(least, part.room(percent));
            }
            return least;
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
            long readyAt = now;
            for (State part : parts) {
                readyAt = Math.max(readyAt, part.readyAt(percent, now, cost));
            }
            return readyAt;
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
            long least = Long.MAX_VALUE;
            for (State part : parts) {
                least = Math.min(least, part.remaining(percent, now));
            }
            return least;
        }
    }
}
