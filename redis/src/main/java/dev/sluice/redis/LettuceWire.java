package dev.sluice.redis;

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

/** Redis through Lettuce: no thread waits, and all calls share one connection, or one for each node of a cluster. */
final class LettuceWire implements Wire {
    private final BaseRedisAsyncCommands<String, String> scripts;
    private final RedisKeyAsyncCommands<String, String> keys;
    private final AtomicInteger underWay;
    private final boolean oneMaster;
    private final Predicate<Throwable> isRefusal;
    private final Supplier<? extends CompletionStage<?>> ping;
    private final Runnable close;

    /**
     * Over the commands of a connection.
     *
     * @param underWay counts the scripts that have not been answered
     * @param oneMaster whether a script may use any keys
     * @param isRefusal whether a failure is known at once and says nothing about other calls
     * @param close ends what was opened for it
     */
    <C extends BaseRedisAsyncCommands<String, String> & RedisKeyAsyncCommands<String, String>> LettuceWire(
            C commands,
            AtomicInteger underWay,
            boolean oneMaster,
            Predicate<Throwable> isRefusal,
            Supplier<? extends CompletionStage<?>> ping,
            Runnable close) {
        this.underWay = underWay;
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
        RedisFuture<byte[]> asked = ask(CommandType.EVALSHA, script.sha(), keys, args);
        underWay.incrementAndGet();
        asked.whenComplete((bytes, failure) -> {
            underWay.decrementAndGet();
            Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
            if (cause instanceof RedisNoScriptException) {
                // The server was flushed, replaced or has just joined: it learns the script with this call.
                ask(CommandType.EVAL, script.text(), keys, args).whenComplete(reply);
            } else {
                reply.accept(bytes, cause != null && isRefusal.test(cause) ? new Link.Refused(cause) : cause);
            }
        });
    }

    private RedisFuture<byte[]> ask(CommandType command, String script, String[] keys, byte[][] args) {
        CommandArgs<String, String> told =
                new CommandArgs<>(StringCodec.UTF8).add(script).add(keys.length);
        for (String key : keys) {
            told.addKey(key);
        }
        for (byte[] arg : args) {
            told.add(arg);
        }
        return scripts.dispatch(command, new Bytes(), told);
    }

    /** A reply as it came: the codecs of a connection are for text. */
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
