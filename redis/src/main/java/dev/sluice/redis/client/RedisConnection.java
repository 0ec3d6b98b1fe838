package dev.sluice.redis.client;

import dev.sluice.redis.script.Script;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** A connection to Redis, through Lettuce or through Jedis. No method waits for Redis, except {@link #close}. */
public interface RedisConnection extends AutoCloseable {
    /**
     * Runs a script on keys of one slot, and sends its text if the server does not know it. {@code reply} gets the bytes
     * of the reply or the failure, once and on any thread. A failure that is an error reply is an {@link ErrorReply}.
     */
    void run(Script script, String[] keys, byte[][] args, BiConsumer<byte @Nullable [], @Nullable Throwable> reply);

    /**
     * Whether there is one master and no slots, so that one script may use any keys. That is what the server said of
     * itself, and not what the address says; false while it has not said so.
     */
    boolean isOneMaster();

    /** Whether the other end has answered at all. */
    boolean hasAnswered();

    /** The name of the master that has a key. */
    String masterOf(String key);

    /** The names of all masters that are known now. */
    Set<String> masters();

    /**
     * The event loop of the calling thread, if scripts that it runs are sent and their replies read on this thread; else
     * null. It runs a task in its next turn, when it has read what arrives until then. It is always the same object.
     */
    default @Nullable Executor eventLoop() {
        return null;
    }

    /** Deletes keys of one slot. */
    CompletionStage<?> delete(String[] keys);

    /** Checks that a master answers. */
    CompletionStage<?> ping(String master);

    /** Asks who the masters are now, unless that has just been asked. */
    void refresh();

    @Override
    void close();
}
