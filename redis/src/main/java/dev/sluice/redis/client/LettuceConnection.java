package dev.sluice.redis.client;

import dev.sluice.redis.script.Script;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.api.async.BaseRedisAsyncCommands;
import io.lettuce.core.api.async.RedisKeyAsyncCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Redis through Lettuce: no thread waits; all calls share one connection, or one for each node of a cluster. */
final class LettuceConnection implements RedisConnection {
    private final BaseRedisAsyncCommands<String, String> scripts;
    private final RedisKeyAsyncCommands<String, String> keys;
    private final AtomicInteger inFlight;
    private final boolean oneMaster;
    private final Predicate<Throwable> isRefusal;
    private final Supplier<? extends CompletionStage<?>> ping;
    private final Runnable close;

    /**
     * Uses the commands of a connection.
     *
     * @param inFlight counts the scripts without a reply
     * @param oneMaster whether one script may use keys of different slots
     * @param isRefusal whether a failure says nothing about other calls
     * @param close closes what was opened for it
     */
    <C extends BaseRedisAsyncCommands<String, String> & RedisKeyAsyncCommands<String, String>> LettuceConnection(
            C commands,
            AtomicInteger inFlight,
            boolean oneMaster,
            Predicate<Throwable> isRefusal,
            Supplier<? extends CompletionStage<?>> ping,
            Runnable close) {
        this.inFlight = inFlight;
        this.oneMaster = oneMaster;
        this.scripts = commands;
        this.keys = commands;
        this.isRefusal = isRefusal;
        this.ping = ping;
        this.close = close;
    }

    @Override
    public void run(
            Script script, String[] keys, byte[][] args, BiConsumer<byte @Nullable [], @Nullable Throwable> reply) {
        RedisFuture<byte[]> sent = send(CommandType.EVALSHA, script.sha(), keys, args);
        inFlight.incrementAndGet();
        sent.whenComplete((bytes, failure) -> {
            inFlight.decrementAndGet();
            Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
            if (cause instanceof RedisNoScriptException) {
                // the server was flushed, replaced or has just joined
                send(CommandType.EVAL, script.text(), keys, args).whenComplete(reply);
            } else {
                reply.accept(bytes, cause != null && isRefusal.test(cause) ? new RefusedException(cause) : cause);
            }
        });
    }

    private RedisFuture<byte[]> send(CommandType command, String script, String[] keys, byte[][] args) {
        CommandArgs<String, String> arguments =
                new CommandArgs<>(StringCodec.UTF8).add(script).add(keys.length);
        for (String key : keys) {
            arguments.addKey(key);
        }
        for (byte[] arg : args) {
            arguments.add(arg);
        }
        return scripts.dispatch(command, new Bytes(), arguments);
    }

    /** A reply as raw bytes: the codecs of a connection are for text. */
    private static final class Bytes extends CommandOutput<String, String, byte[]> {
        Bytes() {
            super(StringCodec.UTF8, new byte[0]);
        }

        @Override
        public void set(@Nullable ByteBuffer bytes) {
            if (bytes != null) {
                output = new byte[bytes.remaining()];
                bytes.get(output);
            }
        }
    }

    @Override
    public boolean isOneMaster() {
        return oneMaster;
    }

    @Override
    public CompletionStage<?> delete(String[] keys) {
        return this.keys.del(keys);
    }

    @Override
    public CompletionStage<?> ping() {
        return ping.get();
    }

    @Override
    public void close() {
        close.run();
    }
}
