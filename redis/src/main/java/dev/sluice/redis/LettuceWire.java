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
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Redis through Lettuce: no thread waits, and all calls share one connection, or one for each node of a cluster. */
final class LettuceWire implements Wire {
    private final RedisScriptingAsyncCommands<String, String> scripts;
    private final RedisKeyAsyncCommands<String, String> keys;
    private final Predicate<Throwable> isRefusal;
    private final Supplier<? extends CompletionStage<?>> ping;
    private final Runnable close;

    /**
     * Over the commands of a connection.
     *
     * @param isRefusal whether a failure is known at once and says nothing about other calls
     * @param close ends what was opened for it
     */
    <C extends RedisScriptingAsyncCommands<String, String> & RedisKeyAsyncCommands<String, String>> LettuceWire(
            C commands, Predicate<Throwable> isRefusal, Supplier<? extends CompletionStage<?>> ping, Runnable close) {
        this.scripts = commands;
        this.keys = commands;
        this.isRefusal = isRefusal;
        this.ping = ping;
        this.close = close;
    }

    @Override
    public void run(
            Script script, String[] keys, String[] args, BiConsumer<@Nullable List<Long>, @Nullable Throwable> reply) {
        RedisFuture<List<Long>> known = scripts.evalsha(script.sha(), ScriptOutputType.MULTI, keys, args);
        known.whenComplete((numbers, failure) -> {
            Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
            if (cause instanceof RedisNoScriptException) {
                // The server was flushed, replaced or has just joined: it learns the script with this call.
                RedisFuture<List<Long>> taught = scripts.eval(script.text(), ScriptOutputType.MULTI, keys, args);
                taught.whenComplete(reply);
            } else {
                reply.accept(numbers, cause != null && isRefusal.test(cause) ? new Link.Refused(cause) : cause);
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
}
