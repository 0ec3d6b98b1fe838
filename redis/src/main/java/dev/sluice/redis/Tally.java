package dev.sluice.redis;

import java.util.concurrent.atomic.LongAdder;

/** What was decided without Redis, and why. */
final class Tally {
    final LongAdder answeredHere = new LongAdder();
    final LongAdder allowedByPolicy = new LongAdder();
    final LongAdder deniedByPolicy = new LongAdder();
    final LongAdder decidedLocally = new LongAdder();
}
