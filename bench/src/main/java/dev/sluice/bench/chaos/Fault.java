package dev.sluice.bench.chaos;

import java.time.Duration;

/** Servers, and something that happens to them and is mended. */
interface Fault extends AutoCloseable {
    /** Where the servers are. */
    String url();

    /** Whether the fault is felt by those who ask for a key of this name. */
    default boolean hits(String redisKey) {
        return true;
    }

    /** Lets it happen. */
    void begin();

    /** How long before it is mended; zero if it mends itself. */
    default Duration lasts(Effort effort) {
        return effort.fault();
    }

    /** Mends it, or waits until it has mended itself. */
    void end();

    /** Ends the servers. */
    @Override
    void close();
}
