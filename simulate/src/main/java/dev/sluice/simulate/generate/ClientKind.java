package dev.sluice.simulate.generate;

import java.util.Locale;

/** What a client of a generated log is. */
public enum ClientKind {
    /** Somebody with a browser: sessions of pages with their images and styles, more by day than by night. */
    PERSON(false, 0.62),
    /** Several people behind one address. */
    OFFICE(false, 0.08),
    /** Another company's program, which calls the API at a steady pace. */
    PARTNER(false, 0.08),
    /** A health check at fixed intervals, day and night. */
    MONITOR(false, 0.01),
    /** A search engine: many paths, day and night, without haste. */
    CRAWLER(false, 0.09),
    /** A broken application that repeats a failing call several times a second while the service is down. */
    RETRY_STORM(true, 0.05),
    /** An attacker who tries passwords of others, from many addresses. */
    CREDENTIAL_STUFFING(true, 0.07);

    private final boolean abusive;
    private final double share;

    ClientKind(boolean abusive, double share) {
        this.abusive = abusive;
        this.share = share;
    }

    /** Whether a limit ought to cut it. */
    public boolean abusive() {
        return abusive;
    }

    /** About which part of the requests it makes. */
    double share() {
        return share;
    }

    /** {@code credential-stuffing}. */
    public String text() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
