package dev.sluice.model;

import java.math.BigInteger;

/** Permits taken from one part at one instant; two charges that look alike are still two. */
final class Charge {
    final long atMicros;
    /** The permits of the request. */
    final long cost;
    /** Those that were not refunded. */
    long permits;

    /** For a bucket: what was missing when the request came. */
    BigInteger found = BigInteger.ZERO;
    /** For a bucket: what had been refunded until then. */
    BigInteger refundedBefore = BigInteger.ZERO;

    Charge(long atMicros, long cost) {
        this.atMicros = atMicros;
        this.cost = cost;
        this.permits = cost;
    }
}
