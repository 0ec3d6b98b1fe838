package dev.sluice.contract;

import dev.sluice.Decision;

/** Permits that were given out, and what became of them. */
final class Grant {
    final String key;
    final long atMicros;
    final long permits;
    final long startMicros;
    final Decision decision;
    long refunded;
    boolean released;

    Grant(String key, long atMicros, Decision decision) {
        this.key = key;
        this.atMicros = atMicros;
        this.permits = decision.permits();
        this.startMicros = atMicros + decision.delayMicros();
        this.decision = decision;
    }

    /** The permits that were not given back. */
    long kept() {
        return permits - refunded;
    }

    boolean open() {
        return kept() > 0 && !released;
    }
}
