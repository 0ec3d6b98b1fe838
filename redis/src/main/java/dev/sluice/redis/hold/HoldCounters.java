package dev.sluice.redis.hold;

import java.util.concurrent.atomic.LongAdder;

/**
 * Counts what became of the holds that Redis had lost.
 *
 * @param restored those that were added again
 * @param lost those whose permits others had taken
 */
public record HoldCounters(LongAdder restored, LongAdder lost) {
    public HoldCounters() {
        this(new LongAdder(), new LongAdder());
    }
}
