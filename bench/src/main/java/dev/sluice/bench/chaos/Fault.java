package dev.sluice.bench.chaos;

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

    /** Mends it, or waits until it has mended itself. */
    void end();

    /** Ends the servers. */
    @Override
    void close();
}
