package dev.sluice.redis.client;

import dev.sluice.redis.script.Script;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** A connection to Redis, through Lettuce or through Jedis. */
public interface RedisConnection extends AutoCloseable {
    /**
     * Redis answered with an error, or one node of a cluster cannot be reached. Callers learn that at once and it says
     * nothing about other calls, so it does not count towards opening the circuit breaker.
     */
    final class RefusedException extends RuntimeException {
        private static final long serialVersionUID = 1;

        RefusedException(Throwable cause) {
            super(cause.toString(), cause, false, false);
        }
    }

    /**
     * Runs a script on keys of one slot, and sends its text if the server does not know it. {@code reply} gets the bytes
     * of the reply or the failure, once and on any thread.
     */
    void run(Script script, String[] keys, byte[][] args, BiConsumer<byte @Nullable [], @Nullable Throwable> reply);

    /** Whether there is one master, so that one script may use keys of different slots. */
    boolean isOneMaster();

    /** Deletes keys of one slot. */
    CompletionStage<?> delete(String[] keys);

    /** Checks that Redis answers; for a cluster, that at least one master does. */
    CompletionStage<?> ping();

    @Override
    void close();
}
