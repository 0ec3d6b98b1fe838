package dev.sluice.contract;

import dev.sluice.Decision;

/** Permits that were given out, and what became of them. */
public final class Grant {
    public final String key;
    final long atMicros;
    public final long permits;
    final long startMicros;
    public final Decision decision;
    public long refunded;
    public boolean released;

    public Grant(String key, long atMicros, Decision decision) {
        this.key = key;
        this.atMicros = atMicros;
        this.permits = decision.permits();
        this.startMicros = atMicros + decision.delayMicros();
        this.decision = decision;
    }

    /** The permits that were not given back. */
    public long kept() {
        return permits - refunded;
    }

    public boolean open() {
        return kept() > 0 && !released;
    }
}
