package dev.sluice.redis;

import dev.sluice.Limit;
import dev.sluice.OnFailure;
import dev.sluice.Scheduler;
import dev.sluice.Store;
import dev.sluice.redis.client.Connector;
import dev.sluice.redis.client.RedisConnection;
import dev.sluice.redis.client.ResilientConnection;
import dev.sluice.redis.combine.Combiner;
import dev.sluice.redis.hold.LimitersOfOneName;
import dev.sluice.redis.script.Script;
import dev.sluice.redis.wait.OpenWaits;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Peeks twice on the first connection, before it is in use.
 *
 * <p>Why: the first decision of a process loads the classes on its way, in this module and in the client, and is the first
 * to use the connection. On a busy machine that takes longer than the timeout, and then each process would decide its first
 * requests by itself.
 *
 * <p>Why twice: the first peek may have to send the script's text, and the second one finds what the first has left in maps.
 *
 * <p>The peeks go through a store of its own on the same connection. So they take the way of every decision, and no counter,
 * listener, circuit breaker or log of the store in use learns of it. They ask every master for a key that nobody has, and
 * write nothing.
 */
final class WarmUp implements Connector {
    private static final System.Logger LOG = System.getLogger(WarmUp.class.getName());

    /** A server that has answered while connecting needs milliseconds; the classes may take long. */
    private static final Duration BOUND = Duration.ofSeconds(1);

    private static final String LIMITER = "sluice-warm-up";
    private static final Limit LIMIT = Limit.tokenBucket(1, Duration.ofMinutes(1));
    /** Keys to look at until each master has one. */
    private static final int MAX_KEYS = 1_000;

    private final Connector connector;
    private final String prefix;
    private volatile boolean isDone;

    /** Makes the connections of {@code connector}; {@code prefix} is that of the store's keys. */
    WarmUp(Connector connector, String prefix) {
        this.connector = connector;
        this.prefix = prefix;
    }

    @Override
    public RedisConnection connect(Duration patience) {
        RedisConnection connection = connector.connect(patience);
        if (!isDone && connection.hasAnswered()) { // another would keep us waiting again
            isDone = true;
            try {
                peek(connection);
            } catch (RuntimeException e) { // its masters are not known, say: the connection may be well all the same
                LOG.log(System.Logger.Level.DEBUG, "the first decisions may be slow", e);
            }
        }
        return connection;
    }

    @Override
    public void close() {
        connector.close();
    }

    private void peek(RedisConnection connection) {
        ResilientConnection calls = ResilientConnection.onTrial(connection, BOUND, MAX_KEYS);
        try {
            RedisLimiter limiter = (RedisLimiter) new RedisStore(setup(calls)).limiter(LIMITER, LIMIT);
            Set<String> keys = keys(connection, limiter);
            peekAll(limiter, keys)
                    .thenCompose(first -> peekAll(limiter, keys))
                    .completeOnTimeout(null, BOUND.toNanos(), TimeUnit.NANOSECONDS)
                    .join();
        } finally {
            calls.detach();
        }
    }

    private static CompletableFuture<Void> peekAll(RedisLimiter limiter, Set<String> keys) {
        return CompletableFuture.allOf(
                keys.stream().map(key -> limiter.peekAsync(key, 1)).toArray(CompletableFuture[]::new));
    }

    /** A key for each master. */
    private static Set<String> keys(RedisConnection connection, RedisLimiter limiter) {
        int masters = connection.masters().size();
        Map<String, String> keys = new TreeMap<>();
        for (int i = 0; i < MAX_KEYS && keys.size() < masters; i++) {
            String key = Integer.toString(i);
            String name = limiter.core().calls().keyNames(limiter.core().scripts(), key)[0];
            keys.putIfAbsent(connection.masterOf(name), key);
        }
        return Set.copyOf(keys.values());
    }

    private RedisStore.Setup setup(ResilientConnection calls) {
        FallbackCounters counters = new FallbackCounters();
        return new RedisStore.Setup(
                calls,
                new Combiner(calls, counters.asked, BOUND, false),
                prefix,
                counters,
                Store.local(),
                new DenialCache(),
                new ScheduledThreadPoolExecutor(0),
                Scheduler.system(),
                new OpenWaits(BOUND),
                new LimitersOfOneName(),
                OnFailure.ALLOW,
                TimeUnit.MICROSECONDS.convert(Duration.ofSeconds(1)),
                Script.file("server-time"),
                null);
    }
}
