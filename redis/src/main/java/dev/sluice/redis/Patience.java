package dev.sluice.redis;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.HostAndPortMapper;
import redis.clients.jedis.exceptions.JedisConnectionException;

/**
 * Ends the opening of connections in a call that has waited long enough.
 *
 * <p>Why: a connection whose reply is late goes back to the pool as broken, and the pool then opens another in its place,
 * in the same call; and in a cluster the call goes on to ask other nodes who is a master. Each would wait for as long
 * again. Jedis has no setting for it, but asks before it opens a connection whether the node is known by another name.
 */
final class Patience implements HostAndPortMapper {
    private final long nanos;
    private final ThreadLocal<@Nullable Long> endOfCall = new ThreadLocal<>();

    Patience(Duration timeout) {
        this.nanos = timeout.toNanos();
    }

    /** A call begins on this thread. */
    void begin() {
        endOfCall.set(System.nanoTime() + nanos);
    }

    /** It has ended. */
    void end() {
        endOfCall.remove();
    }

    @Override
    public HostAndPort getHostAndPort(HostAndPort node) {
        Long end = endOfCall.get();
        if (end != null && System.nanoTime() - end >= 0) {
            throw new JedisConnectionException("no time is left to connect to " + node);
        }
        return node;
    }
}
