package dev.sluice.local;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Limit;
import dev.sluice.Scheduler;
import dev.sluice.algorithm.Algorithm;
import dev.sluice.algorithm.Lineage;
import dev.sluice.algorithm.State;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A peek between whose reads another call comes. */
class PeekTest {
    private int copies;
    private final LimiterCore core = new LimiterCore(
            new CompiledLimits(
                    List.of(Limit.fixedWindow(10, Duration.ofDays(1))),
                    new Counted(),
                    List.of(Lineage.FIRST),
                    1,
                    0,
                    false),
            () -> 0,
            null,
            Scheduler.system(),
            new MemoryBound(1 << 20),
            null);

    @Test
    void computesOnlyOnWordsOfOneMoment() {
        core.decide("k", 1, 100, 0);
        assertThat(core.peek("k", 3, 100).remaining()).isEqualTo(10 - 1 - 1 - 3);
        assertThat(copies).isEqualTo(2);
    }

    /** Ten in all. Another call comes while a state is copied for the first time, and the copy is torn. */
    private final class Counted implements Algorithm {
        @Override
        public State fresh() {
            return new Count(this, 0, false);
        }

        @Override
        public long capacity() {
            return 10;
        }

        @Override
        public Lineage lineage() {
            return Lineage.FIRST;
        }
    }

    private final class Count extends State {
        private final Algorithm algorithm;
        private final boolean torn;
        private long count;

        Count(Algorithm algorithm, long count, boolean torn) {
            this.algorithm = algorithm;
            this.count = count;
            this.torn = torn;
        }

        @Override
        public State copy() {
            boolean preempted = copies++ == 0;
            long before = count;
            if (preempted) {
                assertThat(core.decide("k", 1, 100, 0).allowed()).isTrue();
            }
            return new Count(algorithm, before, preempted);
        }

        @Override
        public boolean take(long stamp, long now, long cost) {
            if (torn) {
                throw new ArrayIndexOutOfBoundsException("words that do not fit together");
            }
            if (!tryLock(stamp)) {
                return false;
            }
            count += cost;
            return true;
        }

        @Override
        public long bytes() {
            return 0;
        }

        @Override
        public Algorithm algorithm() {
            return algorithm;
        }

        @Override
        public boolean admits(long now, long cost) {
            return count + cost <= 10;
        }

        @Override
        public long used(long now) {
            return count;
        }

        @Override
        public long readyAt(long now, long cost) {
            return admits(now, cost) ? now : NEVER;
        }

        @Override
        public long freshAt(long now) {
            return count == 0 ? now : NEVER;
        }

        @Override
        public void refund(long now, long takenAt, long mark, long cost, long unused) {
            count -= unused;
        }
    }
}
