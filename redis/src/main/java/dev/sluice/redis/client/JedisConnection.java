package dev.sluice.redis.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.redis.script.Script;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.RedisClusterClient;
import redis.clients.jedis.RedisSentinelClient;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.exceptions.JedisBroadcastException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisNoScriptException;
import redis.clients.jedis.util.Pool;

/**
 * Redis through Jedis: a call occupies a thread of this class and a connection of the pool until the reply is there.
 *
 * <p>Why not the caller's thread: Jedis has timeouts for the steps of a call and none for the whole. Looking up a name,
 * waiting for the pool, connecting, greeting, each retry of a cluster, and the new connection in place of a broken one add
 * up to several times the timeout. On a thread of its own Jedis may take that long while the caller has its answer.
 */
public final class JedisConnection implements RedisConnection {
    /** Calls at the same time, and connections to one server. */
    static final int MAX_THREADS = 32;

    private final UnifiedJedis jedis;
    private final long timeoutNanos;
    private final Runnable close;
    private final ThreadPoolExecutor threads;

    /** Uses a client; drops a call that has not begun within {@code timeout}; {@code close} closes what was opened. */
    public JedisConnection(UnifiedJedis jedis, Duration timeout, Runnable close) {
        this.jedis = jedis;
        this.timeoutNanos = timeout.toNanos();
        this.close = close;
        this.threads = new ThreadPoolExecutor(
                MAX_THREADS, MAX_THREADS, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
                    Thread thread = new Thread(task, "sluice-jedis");
                    thread.setDaemon(true);
                    return thread;
                });
        threads.prestartAllCoreThreads(); // no caller waits for a thread to start
    }

    @Override
    public void run(
            Script script, String[] keys, byte[][] args, BiConsumer<byte @Nullable [], @Nullable Throwable> reply) {
        long calledAt = System.nanoTime();
        threads.execute(() -> {
            if (System.nanoTime() - calledAt > timeoutNanos) {
                reply.accept(null, new TimeoutException("all connections are busy"));
                return;
            }
            byte[] bytes;
            try {
                bytes = evaluate(script, keys, args);
            } catch (JedisDataException e) {
                reply.accept(null, new RefusedException(e));
                return;
            } catch (RuntimeException e) {
                reply.accept(null, e);
                return;
            }
            reply.accept(bytes, null);
        });
    }

    @Override
    public boolean isOneMaster() {
        return !(jedis instanceof RedisClusterClient);
    }

    @Override
    public CompletionStage<?> delete(String[] keys) {
        return CompletableFuture.supplyAsync(() -> jedis.del(keys), threads);
    }

    @Override
    public CompletionStage<?> ping() {
        return CompletableFuture.runAsync(
                () -> {
                    dropIdle();
                    ping(jedis);
                },
                threads);
    }

    @Override
    public void close() {
        threads.shutdownNow();
        close.run();
    }

    /** Pings every master of a cluster; one that answers is enough. */
    static void ping(UnifiedJedis jedis) {
        try {
            jedis.ping();
        } catch (JedisBroadcastException e) {
            if (jedis instanceof RedisClusterClient cluster) {
                cluster.refreshClusterTopology(); // Jedis does not do that after a timeout
            }
            if (!e.getReplies().containsValue("PONG")) {
                throw e;
            }
        }
    }

    /** Idle connections are as dead as the one that failed: each would fail a call once Redis is back. */
    private void dropIdle() {
        if (jedis instanceof RedisClient one) {
            one.getPool().clear();
        } else if (jedis instanceof RedisSentinelClient master) {
            master.getPrimaryNodesConnectionMap().values().forEach(Pool::clear);
        } else if (jedis instanceof RedisClusterClient cluster) {
            cluster.getClusterNodes().values().forEach(Pool::clear);
        }
    }

    private byte[] evaluate(Script script, String[] keys, byte[][] args) {
        byte[][] params = new byte[keys.length + args.length][];
        for (int i = 0; i < keys.length; i++) {
            params[i] = keys[i].getBytes(UTF_8);
        }
        System.arraycopy(args, 0, params, keys.length, args.length);
        try {
            return (byte[]) jedis.evalsha(script.sha().getBytes(UTF_8), keys.length, params);
        } catch (JedisNoScriptException e) {
            // the server was flushed, replaced or has just joined
            return (byte[]) jedis.eval(script.text().getBytes(UTF_8), keys.length, params);
        }
    }
}
