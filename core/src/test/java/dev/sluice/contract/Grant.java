package dev.sluice.contract;

import dev.sluice.Decision;

/** Permits that were given out, and what became of them. */
final class Grant {
    final String key;
    final long atMicros;
    final long permits;
    final long startMicros;
    final Decision decision;
    boolean refunded;
    boolean released;

    Grant(String key, long atMicros, Decision decision) {
        this.key = key;
        this.atMicros = atMicros;
        this.permits = decision.permits();
        this.startMicros = atMicros + decision.delayMicros();
        this.decision = decision;
    }

    boolean open() {
        return !refunded && !released;
    }
}
