package dev.sluice.bench.chaos;

import dev.sluice.redis.servers.Eventually;
import dev.sluice.redis.servers.RedisCluster;
import dev.sluice.redis.servers.RedisSentinels;
import dev.sluice.redis.servers.RedisServer;
import io.lettuce.core.cluster.SlotHash;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Real servers, and something that happens to them and is mended.
 *
 * @param url where the servers are
 * @param affects whether the fault affects a key of this name in Redis
 * @param begin makes it happen
 * @param end mends it, or waits until it has mended itself
 * @param mendsItself whether {@code end} only waits, and so is called at once
 * @param stop ends the servers
 */
record Fault(String url, Predicate<String> affects, Runnable begin, Runnable end, boolean mendsItself, Runnable stop)
        implements AutoCloseable {
    private static final Duration TO_FAIL_OVER = Duration.ofSeconds(30);

    private static Fault on(RedisServer server, Runnable begin, Runnable end) {
        return new Fault(server.url(), key -> true, begin, end, false, server::close);
    }

    /** Killed and restarted: a server that writes everything down before it answers. What is written outlives it. */
    static Fault killed() {
        RedisServer server = RedisServer.start("--appendonly", "yes", "--appendfsync", "no");
        return on(server, server::kill, server::restart);
    }

    static Fault frozen() {
        RedisServer server = RedisServer.start();
        return on(server, server::pause, server::resume);
    }

    static Fault scriptsFlushed() {
        RedisServer server = RedisServer.start();
        AtomicBoolean ended = new AtomicBoolean();
        CompletableFuture<Void> flushed = new CompletableFuture<>();
        Thread flusher = new Thread(
                () -> {
                    while (!ended.get()) {
                        server.command("SCRIPT", "FLUSH");
                        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
                    }
                    flushed.complete(null);
                },
                "chaos-flusher");
        return on(server, flusher::start, () -> {
            ended.set(true);
            flushed.join();
        });
    }

    static Fault flushed() {
        RedisServer server = RedisServer.start();
        return on(server, () -> server.command("FLUSHALL"), () -> {});
    }

    static Fault full() {
        RedisServer server = RedisServer.start("--maxmemory-policy", "noeviction");
        return on(
                server,
                () -> server.command("CONFIG", "SET", "maxmemory", "500kb"), // it uses more than that by itself
                () -> server.command("CONFIG", "SET", "maxmemory", "0"));
    }

    static Fault notThereYet() {
        RedisServer server = RedisServer.start();
        server.kill();
        return on(server, () -> {}, server::restart);
    }

    /** @param gone kills or freezes the master */
    static Fault clusterMasterGone(Consumer<RedisServer> gone) {
        RedisCluster cluster = RedisCluster.start();
        RedisServer master = cluster.masters().get(0);
        RedisServer replica = cluster.replicaOf(master);
        List<long[]> slots = slots(master);
        Predicate<String> affects = key -> {
            int slot = SlotHash.getSlot(key);
            return slots.stream().anyMatch(range -> range[0] <= slot && slot <= range[1]);
        };
        Runnable end = () -> {
            awaitPromotion(replica);
            Eventually.holds(
                    replica + " says that the cluster is well",
                    TO_FAIL_OVER,
                    () -> replica.text("CLUSTER", "INFO").contains("cluster_state:ok"));
        };
        return new Fault(cluster.url(), affects, () -> gone.accept(master), end, true, cluster::close);
    }

    /** @param gone kills or freezes the master */
    static Fault sentinelMasterGone(Consumer<RedisServer> gone) {
        RedisSentinels group = RedisSentinels.start();
        RedisServer master = group.master();
        Runnable end = () -> {
            Eventually.holds(
                    "the Sentinels name another master",
                    TO_FAIL_OVER,
                    () -> !group.master().equals(master));
            awaitPromotion(group.master());
        };
        return new Fault(group.url(), key -> true, () -> gone.accept(master), end, true, group::close);
    }

    private static void awaitPromotion(RedisServer replica) {
        Eventually.holds(
                replica + " is promoted",
                TO_FAIL_OVER,
                () -> replica.list("ROLE").get(0).equals("master"));
    }

    /** The ranges of slots that are served by a master. */
    private static List<long[]> slots(RedisServer master) {
        if (!(master.command("CLUSTER", "SLOTS") instanceof List<?> ranges)) {
            throw new IllegalStateException(master + " has no slots");
        }
        return ranges.stream()
                .map(range -> (List<?>) range)
                .filter(range ->
                        range.get(2) instanceof List<?> node && node.get(1).equals((long) master.port()))
                .map(range -> new long[] {(Long) range.get(0), (Long) range.get(1)})
                .toList();
    }

    @Override
    public void close() {
        stop.run();
    }
}
