package dev.sluice.redis;

import java.util.concurrent.atomic.LongAdder;

/** Counts the decisions that a store made without Redis, by source, and what became of its holds and batches. */
final class FallbackCounters {
    final LongAdder answeredHere = new LongAdder();
    final LongAdder allowedByPolicy = new LongAdder();
    final LongAdder deniedByPolicy = new LongAdder();
    final LongAdder decidedLocally = new LongAdder();
    final LongAdder holdsRestored = new LongAdder();
    final LongAdder holdsLost = new LongAdder();
    final OpenBatches batches = new OpenBatches();
}
