package dev.sluice.bench.redis;

/** How many decisions were made, and how fast. */
record Pace(long decisions, double perSecond) {
    static Pace of(long decisions, long nanos) {
        return new Pace(decisions, decisions * 1e9 / nanos);
    }
}
