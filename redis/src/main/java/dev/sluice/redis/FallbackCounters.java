package dev.sluice.redis;

import java.util.concurrent.atomic.LongAdder;

/** Counts decisions, those of Redis and those made without it by source, and what became of holds and batches. */
final class FallbackCounters {
    final LongAdder asked = new LongAdder();
    final LongAdder answeredHere = new LongAdder();
    final LongAdder allowedByPolicy = new LongAdder();
    final LongAdder deniedByPolicy = new LongAdder();
    final LongAdder decidedLocally = new LongAdder();
    final LongAdder holdsRestored = new LongAdder();
    final LongAdder holdsLost = new LongAdder();
    final OpenBatches batches = new OpenBatches();
}
