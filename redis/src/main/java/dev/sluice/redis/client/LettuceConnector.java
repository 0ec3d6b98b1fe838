package dev.sluice.redis.client;

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
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

/** Connects through Lettuce to an address, or uses a connection that the application owns. */
public final class LettuceConnector {
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(2);
    private static final Duration REFRESH_CLUSTER = Duration.ofSeconds(10);
    private static final Duration MIN_REFRESH_CLUSTER = Duration.ofMillis(500);
    private static final int RECONNECTS_BEFORE_REFRESH = 2;
    private static final long MAX_MILLIS_BETWEEN_RECONNECTS = 250;
    private static final long NANOS_BETWEEN_REFRESHES = TimeUnit.MILLISECONDS.toNanos(250);
    private static final long MAX_REFRESH_NANOS = TimeUnit.HOURS.toNanos(1);

    private LettuceConnector() {}

    public static RedisConnection connect(RedisAddress address, Tls tls) {
        AtomicInteger inFlight = new AtomicInteger();
        ClientResources resources = ClientResources.builder()
                .reconnectDelay(() -> Delay.exponential(
                        Duration.ofMillis(10),
                        Duration.ofMillis(MAX_MILLIS_BETWEEN_RECONNECTS),
                        2,
                        TimeUnit.MILLISECONDS))
                .nettyCustomizer(new NettyCustomizer() {
                    @Override
                    public void afterChannelInitialized(Channel channel) {
                        channel.pipeline().addFirst(new FlushCoalescer(inFlight));
                    }
                })
                .build();
        try {
            return address.kind() == RedisAddress.Kind.CLUSTER
                    ? cluster(address, tls, resources, inFlight)
                    : single(address, tls, resources, inFlight);
        } catch (RuntimeException e) {
            resources.shutdown(0, 100, TimeUnit.MILLISECONDS);
            throw address.unreachable(e);
        }
    }

    /** Uses an open connection; {@code close} closes what was opened for it. */
    public static RedisConnection over(StatefulRedisConnection<String, String> connection, Runnable close) {
        return over(connection, new AtomicInteger(), close);
    }

    private static RedisConnection over(
            StatefulRedisConnection<String, String> connection, AtomicInteger inFlight, Runnable close) {
        return new LettuceConnection(
                connection.async(),
                inFlight,
                true,
                RedisCommandExecutionException.class::isInstance,
                () -> connection.async().ping(),
                close);
    }

    /** The same for a cluster, where a call that fails at once may concern one node of several. */
    public static RedisConnection over(StatefulRedisClusterConnection<String, String> connection, Runnable close) {
        return new LettuceConnection(
                connection.async(),
                new AtomicInteger(),
                false,
                failure -> true,
                () -> allAnswered(pingMasters(connection)),
                close);
    }

    /** Pings the masters that have slots. One that was replaced stays known, without slots, until it comes back. */
    private static CompletableFuture<String>[] pingMasters(StatefulRedisClusterConnection<String, String> connection) {
        return connection
                .async()
                .nodes(node -> node.is(RedisClusterNode.NodeFlag.UPSTREAM)
                        && !node.getSlots().isEmpty())
                .commands()
                .ping()
                .futures();
    }

    /** Completes when each master has answered or is known to be gone; fails if none has answered. */
    private static CompletionStage<?> allAnswered(CompletableFuture<String>[] pongs) {
        return CompletableFuture.allOf(pongs).handle((done, oneIsGone) -> requireOne(pongs));
    }

    private static CompletableFuture<String> requireOne(CompletableFuture<String>[] pongs) {
        return Stream.of(pongs)
                .filter(pong -> pong.isDone() && !pong.isCompletedExceptionally())
                .findFirst()
                .orElseThrow(() -> new RedisConnectionException("no master of the cluster answers"));
    }

    private static RedisConnection single(
            RedisAddress address, Tls tls, ClientResources resources, AtomicInteger inFlight) {
        RedisClient client = RedisClient.create(resources, uri(address));
        client.setOptions(options(ClientOptions.builder(), tls).build());
        return over(
                client.connect(),
                inFlight,
                () -> shutDown(() -> client.shutdown(0, 100, TimeUnit.MILLISECONDS), resources));
    }

    private static RedisConnection cluster(
            RedisAddress address, Tls tls, ClientResources resources, AtomicInteger inFlight) {
        List<RedisURI> seeds = address.nodes().stream()
                .map(node -> withLogin(RedisURI.builder().withHost(node.host()).withPort(node.port()), address))
                .toList();
        RedisClusterClient client = RedisClusterClient.create(resources, seeds);
        ClusterClientOptions.Builder options = ClusterClientOptions.builder();
        options(options, tls);
        client.setOptions(options.topologyRefreshOptions(ClusterTopologyRefreshOptions.builder()
                        .enablePeriodicRefresh(REFRESH_CLUSTER)
                        .adaptiveRefreshTriggersTimeout(MIN_REFRESH_CLUSTER)
                        .refreshTriggersReconnectAttempts(RECONNECTS_BEFORE_REFRESH)
                        .build())
                .build());
        StatefulRedisClusterConnection<String, String> connection = client.connect();
        AtomicLong nextRefreshNanos = new AtomicLong(System.nanoTime());
        RedisConnection result = new LettuceConnection(
                connection.async(),
                inFlight,
                false,
                failure -> {
                    if (!(failure instanceof RedisCommandExecutionException)) {
                        refreshTopology(client, nextRefreshNanos);
                    }
                    return true;
                },
                () -> {
                    refreshTopology(client, nextRefreshNanos);
                    return allAnswered(pingMasters(connection));
                },
                () -> shutDown(() -> client.shutdown(0, 100, TimeUnit.MILLISECONDS), resources));
        try {
            awaitMasters(pingMasters(connection));
        } catch (RuntimeException e) {
            result.close();
            throw e;
        }
        return result;
    }

    /** Looks for the masters after a failure, one look at a time: to Lettuce a node that is frozen seems well. */
    private static void refreshTopology(RedisClusterClient client, AtomicLong nextRefreshNanos) {
        long now = System.nanoTime();
        long next = nextRefreshNanos.get();
        if (now - next >= 0 && nextRefreshNanos.compareAndSet(next, now + MAX_REFRESH_NANOS)) {
            client.refreshPartitionsAsync()
                    .whenComplete((done, failure) -> nextRefreshNanos.set(System.nanoTime() + NANOS_BETWEEN_REFRESHES));
        }
    }

    /**
     * Waits until the masters are connected: Lettuce connects to a node on first use, and refuses commands until then. One
     * that answers is enough.
     */
    private static void awaitMasters(CompletableFuture<String>[] pongs) {
        CompletableFuture.allOf(pongs)
                .exceptionally(oneIsGone -> null)
                .completeOnTimeout(null, CONNECT_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)
                .join();
        requireOne(pongs);
    }

    /** Rejects commands while disconnected, which Lettuce would otherwise queue. */
    private static <B extends ClientOptions.Builder> B options(B options, Tls tls) {
        options.autoReconnect(true)
                .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
                .sslOptions(sslOptions(tls))
                .timeoutOptions(
                        TimeoutOptions.builder().timeoutCommands(false).build()) // ResilientConnection does that
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

    private static RedisURI uri(RedisAddress address) {
        RedisURI.Builder builder = RedisURI.builder();
        if (address.kind() == RedisAddress.Kind.SENTINEL) {
            builder.withSentinelMasterId(address.master());
            address.nodes().forEach(node -> builder.withSentinel(node.host(), node.port()));
        } else {
            RedisAddress.Node node = address.nodes().get(0);
            builder.withHost(node.host()).withPort(node.port());
        }
        return withLogin(builder.withDatabase(address.database()), address);
    }

    private static RedisURI withLogin(RedisURI.Builder builder, RedisAddress address) {
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
