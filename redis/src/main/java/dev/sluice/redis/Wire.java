package dev.sluice.redis;

import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** A way to a Redis: what differs between its clients. */
interface Wire extends AutoCloseable {
    /**
     * Runs a script, which the server need not have seen before, on keys of one slot. {@code reply} is told the bytes
     * of the reply, or why there are none, once and on any thread.
     */
    void run(Script script, String[] keys, byte[][] args, BiConsumer<byte @Nullable [], @Nullable Throwable> reply);

    /** Whether there is one master, so that a script may use any keys. */
    boolean isOneMaster();

    /** Forgets keys of one slot. */
    CompletionStage<?> delete(String[] keys);

    /** Whether there is somebody at the other end; for a cluster, at every end. */
    CompletionStage<?> ping();

    @Override
    void close();
}
