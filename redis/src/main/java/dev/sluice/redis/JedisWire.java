package dev.sluice.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
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
 * Redis through Jedis: a call holds a thread of the wire, and a connection of the pool, until the reply is there.
 *
 * <p>Why not the caller's thread: Jedis has timeouts for its steps and none for a whole call. Looking up a name, waiting
 * for the pool, connecting, greeting, each retry of a cluster, and the new connection that the pool makes in place of a
 * broken one add up to several times the timeout. Here the caller is told in time, and Jedis may take its own.
 */
final class JedisWire implements Wire {
    /** As many calls at once, and no more connections to a server. */
    static final int MOST_THREADS = 32;

    private final UnifiedJedis jedis;
    private final long timeoutNanos;
    private final Runnable close;
    private final ThreadPoolExecutor threads;

    /** Over a client; a call that has not begun within {@code timeout} is dropped; {@code close} ends what was opened. */
    JedisWire(UnifiedJedis jedis, Duration timeout, Runnable close) {
        this.jedis = jedis;
        this.timeoutNanos = timeout.toNanos();
        this.close = close;
        this.threads = new ThreadPoolExecutor(
                MOST_THREADS, MOST_THREADS, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
                    Thread thread = new Thread(task, "sluice-jedis");
                    thread.setDaemon(true);
                    return thread;
                });
        threads.prestartAllCoreThreads(); // no caller waits for a thread to start
    }

    @Override
    public void run(
            Script script, String[] keys, byte[][] args, BiConsumer<byte @Nullable [], @Nullable Throwable> reply) {
        long askedAt = System.nanoTime();
        threads.execute(() -> {
            byte[] bytes;
            try {
                if (System.nanoTime() - askedAt > timeoutNanos) {
                    throw new Link.Unavailable("all connections are busy", null);
                }
                bytes = ask(script, keys, args);
            } catch (JedisDataException e) {
                reply.accept(null, new Link.Refused(e));
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

    /** Asks every master of a cluster. If one is gone, the others will do. */
    static void ping(UnifiedJedis jedis) {
        try {
            jedis.ping();
        } catch (JedisBroadcastException e) {
            if (jedis instanceof RedisClusterClient cluster) {
                cluster.refreshClusterTopology(); // a call that runs into its timeout does not
            }
            if (!e.getReplies().containsValue("PONG")) {
                throw e;
            }
        }
    }

    /** Those that are idle are as dead as the one that failed: each would fail a call once Redis is back. */
    private void dropIdle() {
        if (jedis instanceof RedisClient one) {
            one.getPool().clear();
        } else if (jedis instanceof RedisSentinelClient master) {
            master.getPrimaryNodesConnectionMap().values().forEach(Pool::clear);
        } else if (jedis instanceof RedisClusterClient cluster) {
            cluster.getClusterNodes().values().forEach(Pool::clear);
        }
    }

    private byte[] ask(Script script, String[] keys, byte[][] args) {
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
