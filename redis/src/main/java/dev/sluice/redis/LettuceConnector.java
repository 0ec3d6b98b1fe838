package dev.sluice.redis;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SslOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.Delay;
import io.lettuce.core.resource.NettyCustomizer;
import io.netty.channel.Channel;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/** Makes wires through Lettuce: from an address, or over a connection that somebody else owns. */
final class LettuceConnector {
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(2);
    private static final Duration REFRESH_CLUSTER = Duration.ofSeconds(10);
    private static final Duration REFRESH_CLUSTER_AT_MOST = Duration.ofMillis(500);
    private static final int RECONNECTS_BEFORE_REFRESH = 2;
    private static final long MOST_MILLIS_BETWEEN_RECONNECTS = 250;
    private static final long MILLIS_BETWEEN_LOOKS = 250;

    private LettuceConnector() {}

    static Wire connect(Address address, Tls tls) {
        AtomicInteger underWay = new AtomicInteger();
        ClientResources resources = ClientResources.builder()
                .reconnectDelay(() -> Delay.exponential(
                        Duration.ofMillis(10),
                        Duration.ofMillis(MOST_MILLIS_BETWEEN_RECONNECTS),
                        2,
                        TimeUnit.MILLISECONDS))
                .nettyCustomizer(new NettyCustomizer() {
                    @Override
                    public void afterChannelInitialized(Channel channel) {
                        channel.pipeline().addFirst(new FlushTogether(underWay));
                    }
                })
                .build();
        try {
            return address.kind() == Address.Kind.CLUSTER
                    ? cluster(address, tls, resources, underWay)
                    : single(address, tls, resources, underWay);
        } catch (RuntimeException e) {
            resources.shutdown(0, 100, TimeUnit.MILLISECONDS);
            throw address.unreachable(e);
        }
    }

    static Wire over(StatefulRedisConnection<String, String> connection, Runnable close) {
        return over(connection, new AtomicInteger(), close);
    }

    private static Wire over(
            StatefulRedisConnection<String, String> connection, AtomicInteger underWay, Runnable close) {
        return new LettuceWire(
                connection.async(),
                underWay,
                true,
                RedisCommandExecutionException.class::isInstance,
                () -> connection.async().ping(),
                close);
    }

    /** What fails at once on a cluster may be one node of several. */
    static Wire over(StatefulRedisClusterConnection<String, String> connection, Runnable close) {
        return new LettuceWire(
                connection.async(),
                new AtomicInteger(),
                false,
                failure -> true,
                () -> told(pingMasters(connection)),
                close);
    }

    /** A master that was replaced stays known, without slots, until it comes back: nobody waits for that one. */
    private static CompletableFuture<String>[] pingMasters(StatefulRedisClusterConnection<String, String> connection) {
        return connection
                .async()
                .nodes(node -> node.is(RedisClusterNode.NodeFlag.UPSTREAM)
                        && !node.getSlots().isEmpty())
                .commands()
                .ping()
                .futures();
    }

    /** Done when each master has answered or is known to be gone. One that is silent would keep callers waiting. */
    private static CompletionStage<?> told(CompletableFuture<String>[] pongs) {
        return CompletableFuture.allOf(pongs).handle((done, oneIsGone) -> requireOne(pongs));
    }

    private static CompletableFuture<String> requireOne(CompletableFuture<String>[] pongs) {
        return Stream.of(pongs)
                .filter(pong -> pong.isDone() && !pong.isCompletedExceptionally())
                .findFirst()
                .orElseThrow(() -> new RedisConnectionException("no master of the cluster answers"));
    }

    private static Wire single(Address address, Tls tls, ClientResources resources, AtomicInteger underWay) {
        RedisClient client = RedisClient.create(resources, uri(address));
        client.setOptions(options(ClientOptions.builder(), tls).build());
        return over(
                client.connect(),
                underWay,
                () -> shutDown(() -> client.shutdown(0, 100, TimeUnit.MILLISECONDS), resources));
    }

    private static Wire cluster(Address address, Tls tls, ClientResources resources, AtomicInteger underWay) {
        List<RedisURI> seeds = address.nodes().stream()
                .map(node -> settled(RedisURI.builder().withHost(node.host()).withPort(node.port()), address))
                .toList();
        RedisClusterClient client = RedisClusterClient.create(resources, seeds);
        ClusterClientOptions.Builder options = ClusterClientOptions.builder();
        options(options, tls);
        client.setOptions(options.topologyRefreshOptions(ClusterTopologyRefreshOptions.builder()
                        .enablePeriodicRefresh(REFRESH_CLUSTER)
                        .adaptiveRefreshTriggersTimeout(REFRESH_CLUSTER_AT_MOST)
                        .refreshTriggersReconnectAttempts(RECONNECTS_BEFORE_REFRESH)
                        .build())
                .build());
        StatefulRedisClusterConnection<String, String> connection = client.connect();
        AtomicBoolean looking = new AtomicBoolean();
        Wire wire = new LettuceWire(
                connection.async(),
                underWay,
                false,
                failure -> {
                    if (!(failure instanceof RedisCommandExecutionException)) {
                        lookForMasters(client, looking);
                    }
                    return true;
                },
                () -> {
                    lookForMasters(client, looking);
                    return told(pingMasters(connection));
                },
                () -> shutDown(() -> client.shutdown(0, 100, TimeUnit.MILLISECONDS), resources));
        try {
            awaitMasters(pingMasters(connection));
        } catch (RuntimeException e) {
            wire.close();
            throw e;
        }
        return wire;
    }

    /** Only when something is wrong, and a few times a second: a node that is frozen looks well to Lettuce. */
    private static void lookForMasters(RedisClusterClient client, AtomicBoolean looking) {
        if (looking.compareAndSet(false, true)) {
            Executor later = CompletableFuture.delayedExecutor(MILLIS_BETWEEN_LOOKS, TimeUnit.MILLISECONDS);
            client.refreshPartitionsAsync().whenCompleteAsync((done, failure) -> looking.set(false), later);
        }
    }

    /**
     * Lettuce connects to a node when it is first asked, and would refuse what is asked meanwhile. If one is down, the
     * others will do.
     */
    private static void awaitMasters(CompletableFuture<String>[] pongs) {
        CompletableFuture.allOf(pongs)
                .exceptionally(oneIsGone -> null)
                .completeOnTimeout(null, CONNECT_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)
                .join();
        requireOne(pongs);
    }

    /** Commands are refused while there is no connection: Lettuce would keep them for later. */
    private static <B extends ClientOptions.Builder> B options(B options, Tls tls) {
        options.autoReconnect(true)
                .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
                .sslOptions(sslOptions(tls))
                .timeoutOptions(TimeoutOptions.builder().timeoutCommands(false).build()) // the link sees to that
                .socketOptions(SocketOptions.builder()
                        .connectTimeout(CONNECT_TIMEOUT)
                        .keepAlive(true)
                        .build());
        return options;
    }

    private static SslOptions sslOptions(Tls tls) {
        SslOptions.Builder options = SslOptions.builder().handshakeTimeout(CONNECT_TIMEOUT);
        if (tls.trust() != null) {
            options.trustManager(tls.trust());
        }
        if (tls.identity() != null) {
            options.keyManager(tls.identity());
        }
        return options.build();
    }

    private static RedisURI uri(Address address) {
        RedisURI.Builder builder = RedisURI.builder();
        if (address.kind() == Address.Kind.SENTINEL) {
            builder.withSentinelMasterId(address.master());
            address.nodes().forEach(node -> builder.withSentinel(node.host(), node.port()));
        } else {
            Address.Node node = address.nodes().get(0);
            builder.withHost(node.host()).withPort(node.port());
        }
        return settled(builder.withDatabase(address.database()), address);
    }

    private static RedisURI settled(RedisURI.Builder builder, Address address) {
        String password = address.password();
        String user = address.user();
        if (password != null && user != null) {
            builder.withAuthentication(user, password);
        } else if (password != null) {
            builder.withPassword(password.toCharArray());
        }
        return builder.withSsl(address.tls()).withTimeout(CONNECT_TIMEOUT).build();
    }

    private static void shutDown(Runnable client, ClientResources resources) {
        client.run();
        resources.shutdown(0, 100, TimeUnit.MILLISECONDS);
    }
}
