package dev.sluice.redis.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.redis.script.Script;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.ConnectionPool;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisNoScriptException;
import redis.clients.jedis.util.JedisClusterCRC16;
import redis.clients.jedis.util.Pool;

/**
 * Redis through Jedis: a call occupies a thread of this class and a connection of the pool until the reply is there.
 *
 * <p>Why not the caller's thread: Jedis has timeouts for the steps of a call and none for the whole. Looking up a name,
 * waiting for the pool, connecting, greeting, each retry of a cluster, and the new connection in place of a broken one add
 * up to several times the timeout. On a thread of its own Jedis may take that long while the caller has its answer.
 *
 * <p>Why it keeps its own table of slots: Jedis does not tell which master it sends a key to.
 */
final class JedisConnection implements RedisConnection {
    /** Calls at the same time, and connections to one server. */
    static final int MAX_THREADS = 32;

    private static final Duration TO_ASK = Duration.ofSeconds(2);
    private static final int SLOTS = 16_384;
    private static final int MAX_CAUSES = 8;
    private static final String NO_MASTER = "no master";
    private static final long NANOS_BETWEEN_REFRESHES = TimeUnit.MILLISECONDS.toNanos(250);
    private static final long MAX_REFRESH_NANOS = TimeUnit.HOURS.toNanos(1);

    private final UnifiedJedis jedis;
    private final String name;
    private final long timeoutNanos;
    private final Runnable close;
    private final ThreadPoolExecutor threads;
    private final AtomicLong nextRefreshNanos = new AtomicLong(System.nanoTime());
    private volatile boolean oneMaster;
    private volatile boolean answered;
    /** The master of each slot; null where there are no slots. */
    private volatile String @Nullable [] masterOfSlot;

    /** Uses a client; drops a call that has not begun within {@code timeout}; {@code close} closes what was opened. */
    JedisConnection(UnifiedJedis jedis, String name, Duration timeout, Runnable close) {
        this.jedis = jedis;
        this.name = name;
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

    // ---- What is at the other end

    /** Asks the server what it is, and remembers that; waits for it, but not for long. */
    ServerMode askMode() {
        CompletableFuture<ServerMode> mode = CompletableFuture.supplyAsync(this::mode, threads);
        return mode.copy()
                .completeOnTimeout(ServerMode.UNKNOWN, TO_ASK.toMillis(), TimeUnit.MILLISECONDS)
                .join();
    }

    private ServerMode mode() {
        ServerMode mode;
        try {
            mode = ServerMode.of(texts(jedis.executeCommand(new CommandArguments(Protocol.Command.HELLO))));
        } catch (JedisDataException e) {
            mode = ServerMode.UNKNOWN; // it does not know HELLO
        } catch (RuntimeException e) {
            return ServerMode.UNKNOWN; // it does not answer: nothing is known
        }
        answered = true;
        if (mode == ServerMode.SLOTS || JedisPools.isCluster(jedis)) {
            readSlots();
            return ServerMode.SLOTS;
        }
        oneMaster = mode != ServerMode.SENTINEL;
        return mode;
    }

    /** All texts of a reply, however they are nested. */
    private static List<String> texts(@Nullable Object reply) {
        List<String> texts = new ArrayList<>();
        if (reply instanceof List<?> list) {
            list.forEach(each -> texts.addAll(texts(each)));
        } else if (reply instanceof Map.Entry<?, ?> entry) {
            texts.addAll(texts(entry.getKey()));
            texts.addAll(texts(entry.getValue()));
        } else {
            texts.add(reply instanceof byte[] bytes ? new String(bytes, UTF_8) : String.valueOf(reply));
        }
        return texts;
    }

    /** Reads who has which slots; on failure the table stays as it is. */
    private void readSlots() {
        try {
            Object reply = jedis.executeCommand(new CommandArguments(Protocol.Command.CLUSTER).add("SLOTS"));
            if (reply instanceof List<?> ranges) {
                masterOfSlot = table(ranges);
            }
        } catch (RuntimeException e) {
            if (masterOfSlot == null) {
                masterOfSlot = new String[SLOTS];
            }
        }
    }

    /** A range is its first slot, its last one, and its master as host and port; replicas follow. */
    private static String[] table(List<?> ranges) {
        String[] table = new String[SLOTS];
        Map<String, String> names = new HashMap<>();
        for (Object each : ranges) {
            if (each instanceof List<?> range
                    && range.size() > 2
                    && range.get(0) instanceof Long first
                    && range.get(1) instanceof Long last
                    && range.get(2) instanceof List<?> master
                    && master.size() > 1
                    && master.get(0) instanceof byte[] host) {
                String node = names.computeIfAbsent(new String(host, UTF_8) + ":" + master.get(1), found -> found);
                for (int slot = first.intValue(); slot <= last && slot < SLOTS; slot++) {
                    table[slot] = node;
                }
            }
        }
        return table;
    }

    @Override
    public boolean isOneMaster() {
        return oneMaster;
    }

    @Override
    public boolean hasAnswered() {
        return answered;
    }

    @Override
    public String masterOf(String key) {
        String[] table = masterOfSlot;
        if (table == null) {
            return name;
        }
        String master = table[JedisClusterCRC16.getSlot(key)];
        return master == null ? NO_MASTER : master;
    }

    @Override
    public Set<String> masters() {
        String[] table = masterOfSlot;
        if (table == null) {
            return Set.of(name);
        }
        Set<String> masters = new HashSet<>();
        for (String master : table) {
            if (master != null) {
                masters.add(master);
            }
        }
        return masters;
    }

    /** Jedis does not look for the masters after a timeout. */
    @Override
    public void refresh() {
        long now = System.nanoTime();
        long next = nextRefreshNanos.get();
        if (masterOfSlot != null && now - next >= 0 && nextRefreshNanos.compareAndSet(next, now + MAX_REFRESH_NANOS)) {
            try {
                threads.execute(() -> {
                    try {
                        JedisPools.refreshCluster(jedis);
                        readSlots();
                    } finally {
                        nextRefreshNanos.set(System.nanoTime() + NANOS_BETWEEN_REFRESHES);
                    }
                });
            } catch (RejectedExecutionException e) {
                // it has been closed
            }
        }
    }

    // ---- Calls

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
            } catch (RuntimeException | Error e) {
                reply.accept(null, learned(e));
                return;
            }
            reply.accept(bytes, null);
        });
    }

    private byte[] evaluate(Script script, String[] keys, byte[][] args) {
        byte[][] params = new byte[keys.length + args.length][];
        for (int i = 0; i < keys.length; i++) {
            params[i] = keys[i].getBytes(UTF_8);
        }
        System.arraycopy(args, 0, params, keys.length, args.length);
        Object reply;
        try {
            reply = jedis.evalsha(script.sha().getBytes(UTF_8), keys.length, params);
        } catch (JedisNoScriptException e) {
            // the server was flushed, replaced or has just joined
            reply = jedis.eval(script.text().getBytes(UTF_8), keys.length, params);
        }
        if (reply instanceof byte[] bytes) {
            return bytes;
        }
        throw new ErrorReply(ErrorReply.notBytes(
                reply == null ? "nothing" : "a " + reply.getClass().getSimpleName()));
    }

    /** The failure in terms of this package; it may say that there are slots at the other end. */
    private Throwable learned(Throwable failure) {
        Throwable cause = failure;
        for (int i = 0; i < MAX_CAUSES && cause != null; i++) {
            if (cause instanceof JedisDataException) {
                ErrorReply reply = new ErrorReply(String.valueOf(cause.getMessage()));
                if (Failure.tellsOfSlots(reply)) {
                    oneMaster = false;
                }
                return reply;
            }
            cause = cause.getCause();
        }
        return failure;
    }

    @Override
    public CompletionStage<?> delete(String[] keys) {
        CompletableFuture<Long> deleted = new CompletableFuture<>();
        threads.execute(() -> {
            try {
                deleted.complete(jedis.del(keys));
            } catch (RuntimeException | Error e) {
                deleted.completeExceptionally(learned(e));
            }
        });
        return deleted;
    }

    /** Idle connections are as dead as the one that failed: each would fail a call once Redis is back. */
    @Override
    public CompletionStage<?> ping(String master) {
        return CompletableFuture.runAsync(
                () -> {
                    ConnectionPool node = JedisPools.ofNode(jedis, master);
                    if (node == null) {
                        JedisPools.all(jedis).forEach(Pool::clear);
                        jedis.ping();
                    } else {
                        node.clear();
                        try (Connection connection = node.getResource()) {
                            connection.ping();
                        }
                    }
                },
                threads);
    }

    @Override
    public void close() {
        threads.shutdownNow();
        close.run();
    }
}
