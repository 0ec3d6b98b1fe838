package dev.sluice.contract;

import dev.sluice.Decision;

/** Permits that were given out, and what became of them. */
public final class Grant {
    public final String key;
    final long atMicros;
    public final long permits;
    final long startMicros;
<<<<<<< HEAD
    final Decision decision;
    long refunded;
    boolean released;
=======
    public final Decision decision;
    public boolean refunded;
    public boolean released;
>>>>>>> wait

    public Grant(String key, long atMicros, Decision decision) {
        this.key = key;
        this.atMicros = atMicros;
        this.permits = decision.permits();
        this.startMicros = atMicros + decision.delayMicros();
        this.decision = decision;
    }

<<<<<<< HEAD
    /** The permits that were not given back. */
    long kept() {
        return permits - refunded;
    }

    boolean open() {
        return kept() > 0 && !released;
=======
    public boolean open() {
        return !refunded && !released;
>>>>>>> wait
    }
}
