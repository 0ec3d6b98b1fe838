package dev.sluice.redis;

import dev.sluice.redis.hold.HoldCounters;
import java.util.concurrent.atomic.LongAdder;

/** Counts decisions, those of Redis and those made without it by source, and what became of holds and batches. */
final class FallbackCounters {
    final LongAdder asked = new LongAdder();
    final LongAdder answeredHere = new LongAdder();
    final LongAdder allowedByPolicy = new LongAdder();
    final LongAdder deniedByPolicy = new LongAdder();
    final LongAdder decidedLocally = new LongAdder();
    final HoldCounters holds = new HoldCounters();
    final OpenBatches batches = new OpenBatches();
}
