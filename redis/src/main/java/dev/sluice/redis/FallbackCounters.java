package dev.sluice.redis;

import java.util.concurrent.atomic.LongAdder;

/** Counts decisions: those that Redis was asked for, and those made without it, by source. */
final class FallbackCounters {
    final LongAdder asked = new LongAdder();
    final LongAdder answeredHere = new LongAdder();
    final LongAdder allowedByPolicy = new LongAdder();
    final LongAdder deniedByPolicy = new LongAdder();
    final LongAdder decidedLocally = new LongAdder();
}
