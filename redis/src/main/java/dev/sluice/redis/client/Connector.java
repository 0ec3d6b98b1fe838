package dev.sluice.redis.client;

/** Makes connections to one Redis, one after another. */
public interface Connector extends AutoCloseable {
    /** A new connection, or the same one again if the application owns it; waits for it. */
    RedisConnection connect();

    /** Ends what its connections share; they have been closed. */
    @Override
    default void close() {}
}
