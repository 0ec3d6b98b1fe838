package dev.sluice.redis;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.RedisClusterClient;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.exceptions.JedisNoScriptException;

/** Redis through Jedis: a call holds its thread, and a connection of the pool, until the reply is there. */
final class JedisWire implements Wire {
    private final UnifiedJedis jedis;
    private final @Nullable Patience patience;
    private final Runnable close;

    /** Over a client that has this patience, if any; {@code close} ends what was opened for it. */
    JedisWire(UnifiedJedis jedis, @Nullable Patience patience, Runnable close) {
        this.jedis = jedis;
        this.patience = patience;
        this.close = close;
    }

    @Override
    public void run(
            Script script, String[] keys, String[] args, BiConsumer<@Nullable List<Long>, @Nullable Throwable> reply) {
        List<Long> numbers;
        try {
            numbers = patiently(() -> numbers(script, List.of(keys), List.of(args)));
        } catch (RuntimeException e) {
            reply.accept(null, e);
            return;
        }
        reply.accept(numbers, null);
    }

    @Override
    public CompletionStage<?> delete(String[] keys) {
        return CompletableFuture.completedFuture(patiently(() -> jedis.del(keys)));
    }

    @Override
    public CompletionStage<?> ping() {
        try {
            return CompletableFuture.completedFuture(jedis.ping()); // which asks every master of a cluster
        } catch (RuntimeException e) {
            if (jedis instanceof RedisClusterClient cluster) {
                cluster.refreshClusterTopology(); // a call that runs into its timeout does not
            }
            throw e;
        }
    }

    @Override
    public void close() {
        close.run();
    }

    private <T> T patiently(Supplier<T> call) {
        if (patience == null) {
            return call.get();
        }
        patience.begin();
        try {
            return call.get();
        } finally {
            patience.end();
        }
    }

    @SuppressWarnings("unchecked") // what the scripts reply
    private List<Long> numbers(Script script, List<String> keys, List<String> args) {
        try {
            return (List<Long>) jedis.evalsha(script.sha(), keys, args);
        } catch (JedisNoScriptException e) {
            // the server was flushed, replaced or has just joined
            return (List<Long>) jedis.eval(script.text(), keys, args);
        }
    }
}
