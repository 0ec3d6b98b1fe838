package dev.sluice.bench.chaos;

import dev.sluice.redis.servers.Eventually;
import dev.sluice.redis.servers.FaultyProxy;
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
    /** Longer than any timeout of a run. */
    private static final Duration LATE = Duration.ofMillis(350);

    private static final String NONSENSE = "$3\r\nabc\r\n";

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

    /** A managed failover behind one address: the server is a replica for a while. */
    static Fault demoted() {
        RedisServer server = RedisServer.start();
        RedisServer other = RedisServer.start();
        other.command("REPLICAOF", "127.0.0.1", Integer.toString(server.port()));
        awaitLinked(other);
        Runnable begin = () -> {
            other.command("REPLICAOF", "NO", "ONE");
            server.command("REPLICAOF", "127.0.0.1", Integer.toString(other.port()));
        };
        Runnable end = () -> {
            awaitLinked(server); // or else it has lost what it knew
            server.command("REPLICAOF", "NO", "ONE");
        };
        return new Fault(server.url(), key -> true, begin, end, false, () -> {
            server.close();
            other.close();
        });
    }

    private static void awaitLinked(RedisServer replica) {
        Eventually.holds(
                replica + " is linked to its master",
                TO_FAIL_OVER,
                () -> replica.text("INFO", "replication").contains("master_link_status:up"));
    }

    /** Every reply comes after the timeout. */
    static Fault late() {
        return behindProxy(proxy -> proxy.delay(LATE), FaultyProxy::deliverAll);
    }

    /** Replies of scripts come after the timeout, and pings are answered at once. */
    static Fault lateScripts() {
        return behindProxy(proxy -> proxy.delayTexts(LATE), FaultyProxy::deliverAll);
    }

    /** Scripts get replies of the wrong length. */
    static Fault nonsense() {
        return behindProxy(proxy -> proxy.replaceTexts(NONSENSE), FaultyProxy::deliverAll);
    }

    /** Open connections go silent, and new ones are well. */
    static Fault silent() {
        Fault fault = behindProxy(FaultyProxy::silence, proxy -> {});
        return new Fault(fault.url, fault.affects, fault.begin, fault.end, true, fault.stop);
    }

    private static Fault behindProxy(Consumer<FaultyProxy> begin, Consumer<FaultyProxy> end) {
        RedisServer server = RedisServer.start();
        FaultyProxy proxy = FaultyProxy.to(server);
        return new Fault(proxy.url(), key -> true, () -> begin.accept(proxy), () -> end.accept(proxy), false, () -> {
            proxy.close();
            server.close();
        });
    }

    /** A master of a cluster is frozen, and nobody takes its place. */
    static Fault clusterNodeFrozen() {
        RedisCluster cluster = RedisCluster.start();
        cluster.servers().forEach(server -> {
            server.command("CONFIG", "SET", "cluster-replica-no-failover", "yes");
            server.command("CONFIG", "SET", "cluster-require-full-coverage", "no");
        });
        RedisServer master = cluster.masters().get(0);
        Runnable end = () -> {
            master.resume();
            cluster.awaitReady();
        };
        return new Fault(cluster.url(), affects(master), master::pause, end, false, cluster::close);
    }

    /** A master of a cluster replies to scripts with texts of the wrong length. */
    static Fault clusterNodeNonsense() {
        FaultyProxy proxy = FaultyProxy.toNobody();
        RedisCluster cluster = RedisCluster.startBehind(proxy);
        Predicate<String> affects = affects(cluster.servers().get(0), proxy.port());
        return new Fault(cluster.url(), affects, () -> proxy.replaceTexts(NONSENSE), proxy::deliverAll, false, () -> {
            proxy.close();
            cluster.close();
        });
    }

    /** @param gone kills or freezes the master */
    static Fault clusterMasterGone(Consumer<RedisServer> gone) {
        RedisCluster cluster = RedisCluster.start();
        RedisServer master = cluster.masters().get(0);
        RedisServer replica = cluster.replicaOf(master);
        Runnable end = () -> {
            awaitPromotion(replica);
            Eventually.holds(
                    replica + " says that the cluster is well",
                    TO_FAIL_OVER,
                    () -> replica.text("CLUSTER", "INFO").contains("cluster_state:ok"));
        };
        return new Fault(cluster.url(), affects(master), () -> gone.accept(master), end, true, cluster::close);
    }

    /** Whether a key is in a slot of a master. */
    private static Predicate<String> affects(RedisServer master) {
        return affects(master, master.port());
    }

    private static Predicate<String> affects(RedisServer master, int port) {
        List<long[]> slots = slots(master, port);
        return key -> {
            int slot = SlotHash.getSlot(key);
            return slots.stream().anyMatch(range -> range[0] <= slot && slot <= range[1]);
        };
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

    /** The ranges of slots that are served by a master, which clients reach on this port. */
    private static List<long[]> slots(RedisServer master, int port) {
        if (!(master.command("CLUSTER", "SLOTS") instanceof List<?> ranges)) {
            throw new IllegalStateException(master + " has no slots");
        }
        return ranges.stream()
                .map(range -> (List<?>) range)
                .filter(range ->
                        range.get(2) instanceof List<?> node && node.get(1).equals((long) port))
                .map(range -> new long[] {(Long) range.get(0), (Long) range.get(1)})
                .toList();
    }

    @Override
    public void close() {
        stop.run();
    }
}
