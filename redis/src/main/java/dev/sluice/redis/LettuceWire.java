package dev.sluice.redis;

import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.async.RedisKeyAsyncCommands;
import io.lettuce.core.api.async.RedisScriptingAsyncCommands;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Redis through Lettuce: no thread waits, and all calls share one connection, or one for each node of a cluster. */
final class LettuceWire implements Wire {
    private final RedisScriptingAsyncCommands<String, String> scripts;
    private final RedisKeyAsyncCommands<String, String> keys;
    private final Supplier<? extends CompletionStage<?>> ping;
    private final Runnable close;

    /** Over the commands of a connection; {@code close} ends what was opened for it. */
    <C extends RedisScriptingAsyncCommands<String, String> & RedisKeyAsyncCommands<String, String>> LettuceWire(
            C commands, Supplier<? extends CompletionStage<?>> ping, Runnable close) {
        this.scripts = commands;
        this.keys = commands;
        this.ping = ping;
        this.close = close;
    }

    @Override
    public void run(
            Script script, String[] keys, String[] args, BiConsumer<@Nullable List<Long>, @Nullable Throwable> reply) {
        RedisFuture<List<Long>> known = scripts.evalsha(script.sha(), ScriptOutputType.MULTI, keys, args);
        known.whenComplete((numbers, failure) -> {
            if (isNoScript(failure)) {
                RedisFuture<List<Long>> taught = scripts.eval(script.text(), ScriptOutputType.MULTI, keys, args);
                taught.whenComplete(reply);
            } else {
                reply.accept(numbers, failure);
            }
        });
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

    /** The server was flushed, replaced or has just joined: it learns the script with the next call. */
    private static boolean isNoScript(@Nullable Throwable failure) {
        return failure instanceof RedisNoScriptException
                || (failure instanceof CompletionException && failure.getCause() instanceof RedisNoScriptException);
    }
}
