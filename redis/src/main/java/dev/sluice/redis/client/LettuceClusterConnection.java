package dev.sluice.redis.client;

import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A cluster through Lettuce. */
final class LettuceClusterConnection extends LettuceConnection {
    private static final String NO_MASTER = "no master";
    private static final long NANOS_BETWEEN_REFRESHES = TimeUnit.MILLISECONDS.toNanos(250);
    private static final long MAX_REFRESH_NANOS = TimeUnit.HOURS.toNanos(1);

    private final StatefulRedisClusterConnection<String, String> connection;
    private final @Nullable RedisClusterClient client;
    private final AtomicLong nextRefreshNanos = new AtomicLong(System.nanoTime());

    /** Uses a connection; {@code client} is asked for the masters, unless it is the application's and so null. */
    LettuceClusterConnection(
            StatefulRedisClusterConnection<String, String> connection,
            @Nullable RedisClusterClient client,
            AtomicInteger inFlight,
            Runnable close) {
        super(connection.async(), "cluster", inFlight, close);
        this.connection = connection;
        this.client = client;
    }

    @Override
    public boolean isOneMaster() {
        return false;
    }

    /** Else there would be no table of its masters. */
    @Override
    public boolean hasAnswered() {
        return true;
    }

    @Override
    public String masterOf(String key) {
        RedisClusterNode master = connection.getPartitions().getMasterBySlot(SlotHash.getSlot(key));
        return master == null ? NO_MASTER : nameOf(master);
    }

    @Override
    public Set<String> masters() {
        return connection.getPartitions().stream()
                .filter(LettuceClusterConnection::isMaster)
                .map(LettuceClusterConnection::nameOf)
                .collect(Collectors.toSet());
    }

    @Override
    public CompletionStage<?> ping(String master) {
        return CompletableFuture.anyOf(
                ping(node -> isMaster(node) && nameOf(node).equals(master)));
    }

    /** Pings all masters. */
    CompletableFuture<?>[] pingMasters() {
        return ping(LettuceClusterConnection::isMaster);
    }

    private CompletableFuture<?>[] ping(Predicate<RedisClusterNode> which) {
        return connection.async().nodes(which).commands().ping().futures();
    }

    /** One that was replaced stays known, without slots, until it comes back. */
    private static boolean isMaster(RedisClusterNode node) {
        return node.is(RedisClusterNode.NodeFlag.UPSTREAM) && !node.getSlots().isEmpty();
    }

    private static String nameOf(RedisClusterNode node) {
        return node.getUri().getHost() + ":" + node.getUri().getPort();
    }

    /** Looks for the masters, one look at a time: to Lettuce a node that is frozen seems well. */
    @Override
    public void refresh() {
        if (client == null) {
            return;
        }
        long now = System.nanoTime();
        long next = nextRefreshNanos.get();
        if (now - next >= 0 && nextRefreshNanos.compareAndSet(next, now + MAX_REFRESH_NANOS)) {
            client.refreshPartitionsAsync()
                    .whenComplete((done, failure) -> nextRefreshNanos.set(System.nanoTime() + NANOS_BETWEEN_REFRESHES));
        }
    }
}
