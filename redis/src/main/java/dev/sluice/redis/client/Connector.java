package dev.sluice.redis.client;

import java.time.Duration;

/** Makes connections to one Redis, one after another. */
public interface Connector extends AutoCloseable {
    /**
     * A new connection, or the same one again if the application owns it; waits for it.
     *
     * @param patience how long a server may take to accept it, unless the application's Jedis client says otherwise
     */
    RedisConnection connect(Duration patience);

    /** Ends what its connections share; they have been closed. */
    @Override
    default void close() {}
}
