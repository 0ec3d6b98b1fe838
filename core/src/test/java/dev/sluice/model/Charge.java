package dev.sluice.model;

/** Permits taken from one part at one instant; two charges that look alike are still two. */
final class Charge {
    final long atMicros;
    final long permits;

    Charge(long atMicros, long permits) {
        this.atMicros = atMicros;
        this.permits = permits;
    }
}
