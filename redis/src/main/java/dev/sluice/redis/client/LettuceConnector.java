package dev.sluice.redis.client;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.ConnectionFuture;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SslOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.Delay;
import io.lettuce.core.resource.NettyCustomizer;
import io.lettuce.core.resource.Transports;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Connects through Lettuce to an address, or uses a connection that the application owns. */
public final class LettuceConnector implements Connector {
    private static final Duration REFRESH_CLUSTER = Duration.ofSeconds(10);
    private static final Duration MIN_REFRESH_CLUSTER = Duration.ofMillis(500);
    private static final int RECONNECTS_BEFORE_REFRESH = 2;
    private static final long MAX_MILLIS_BETWEEN_RECONNECTS = 250;
    private static final String OF_THE_APPLICATION = "redis";

    private final RedisAddress address;
    private final @Nullable Login login;
    private final @Nullable Login sentinelLogin;
    private final Tls tls;
    private final AtomicInteger inFlight = new AtomicInteger();
    private final ClientResources resources;
    /** What a client needs on each of the application's event loops. */
    private final Map<ApplicationLoop, ClientResources> loops = new LinkedHashMap<>();

    /**
     * Connects to an address; a login is null if none is needed.
     *
     * @param eventLoops those of the application, each of which gets a connection of its own to a single server
     */
    public LettuceConnector(
            RedisAddress address,
            @Nullable Login login,
            @Nullable Login sentinelLogin,
            Tls tls,
            List<EventLoop> eventLoops) {
        this.address = address;
        this.login = login;
        this.sentinelLogin = sentinelLogin;
        this.tls = tls;
        this.resources = ClientResources.builder()
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
        holdEventLoops();
        for (EventLoop each : eventLoops) {
            ApplicationLoop loop = new ApplicationLoop(each);
            loops.put(loop, resources.mutate().eventLoopGroupProvider(loop).build());
        }
    }

    /**
     * Else the threads of Netty would end with each client that could not connect, and start with the next one. The handshake
     * of an attempt looks at its connection once more when its time is over: it must find them there.
     */
    private void holdEventLoops() {
        resources.eventLoopGroupProvider().allocate(Transports.eventLoopGroupClass());
    }

    @Override
    public RedisConnection connect(Duration patience) {
        try {
            return address.kind() == RedisAddress.Kind.CLUSTER ? cluster(address, patience) : single(patience);
        } catch (RuntimeException e) {
            throw address.unreachable(e);
        }
    }

    @Override
    public void close() {
        resources.shutdown(0, 100, TimeUnit.MILLISECONDS);
    }

    // ---- Connections that the application owns

    /** Uses an open connection with any codec, and does not close it. */
    public static Connector over(StatefulRedisConnection<?, ?> connection) {
        LettuceConnection one = new LettuceConnection(
                withOurCodec(connection).async(), OF_THE_APPLICATION, new AtomicInteger(), () -> {});
        return patience -> asked(one, patience);
    }

    /** The same for a cluster. */
    public static Connector over(StatefulRedisClusterConnection<?, ?> connection) {
        RedisConnection one =
                new LettuceClusterConnection(withOurCodec(connection), null, new AtomicInteger(), () -> {});
        return patience -> one;
    }

    /** Makes connections with the application's client. */
    public static Connector with(RedisClient client) {
        return new LettuceClientConnector<>(client::connect, (connection, patience) -> {
            LettuceConnection made = new LettuceConnection(
                    connection.async(), OF_THE_APPLICATION, new AtomicInteger(), connection::close);
            return asked(made, patience);
        });
    }

    /** The same with a client for a cluster. */
    public static Connector with(RedisClusterClient client) {
        return new LettuceClientConnector<>(
                client::connect,
                (connection, patience) ->
                        new LettuceClusterConnection(connection, null, new AtomicInteger(), connection::close));
    }

    private static RedisConnection asked(LettuceConnection connection, Duration patience) {
        mode(connection, patience);
        return connection;
    }

    /** Every command that is sent on it brings its own codec. */
    @SuppressWarnings("unchecked")
    private static StatefulRedisConnection<String, String> withOurCodec(StatefulRedisConnection<?, ?> connection) {
        return (StatefulRedisConnection<String, String>) connection;
    }

    @SuppressWarnings("unchecked")
    private static StatefulRedisClusterConnection<String, String> withOurCodec(
            StatefulRedisClusterConnection<?, ?> connection) {
        return (StatefulRedisClusterConnection<String, String>) connection;
    }

    // ---- Our own connections

    /** Connects to one server. If that is a node of a cluster, connects to the cluster. */
    private RedisConnection single(Duration patience) {
        List<RedisClient> clients = (loops.isEmpty() ? List.of(resources) : loops.values())
                .stream().map(RedisClient::create).toList();
        Runnable shutDown = () -> clients.forEach(each -> each.shutdown(0, 100, TimeUnit.MILLISECONDS));
        try {
            LettuceConnection connection = connect(clients, patience, shutDown);
            ServerMode mode = mode(connection, patience);
            if (mode == ServerMode.SENTINEL) {
                throw address.isSentinel();
            }
            if (mode != ServerMode.SLOTS) {
                return connection;
            }
        } catch (RuntimeException | Error e) {
            shutDown.run();
            throw e;
        }
        shutDown.run();
        return cluster(address.asCluster(), patience);
    }

    /** Connects with the one client, or with those of the event loops, all at the same time. */
    private LettuceConnection connect(List<RedisClient> clients, Duration patience, Runnable shutDown) {
        ClientOptions options = options(ClientOptions.builder(), patience).build();
        List<ConnectionFuture<StatefulRedisConnection<String, String>>> attempts = new ArrayList<>();
        for (RedisClient client : clients) {
            client.setOptions(options);
            attempts.add(client.connectAsync(StringCodec.UTF8, uri(patience)));
        }
        List<RedisAsyncCommands<String, String>> connections =
                attempts.stream().map(each -> each.join().async()).toList();
        Map<Thread, LettuceConnection.OnLoop> onLoops = new HashMap<>();
        for (ApplicationLoop loop : loops.keySet()) {
            onLoops.put(loop.thread(), new LettuceConnection.OnLoop(loop, connections.get(onLoops.size())));
        }
        return new LettuceConnection(connections.get(0), onLoops, address.name(), inFlight, shutDown);
    }

    /** What the server says that it is. If it takes too long to say, its connection learns that later. */
    private static ServerMode mode(LettuceConnection connection, Duration patience) {
        return connection
                .askMode()
                .toCompletableFuture()
                .copy()
                .completeOnTimeout(ServerMode.UNKNOWN, patience.toMillis(), TimeUnit.MILLISECONDS)
                .join();
    }

    private RedisConnection cluster(RedisAddress address, Duration patience) {
        List<RedisURI> seeds = address.nodes().stream()
                .map(node -> withLogin(RedisURI.builder().withHost(node.host()).withPort(node.port()), login, patience))
                .toList();
        RedisClusterClient client = RedisClusterClient.create(resources, seeds);
        Runnable shutDown = () -> client.shutdown(0, 100, TimeUnit.MILLISECONDS);
        try {
            ClusterClientOptions.Builder options = ClusterClientOptions.builder();
            options(options, patience);
            client.setOptions(options.topologyRefreshOptions(ClusterTopologyRefreshOptions.builder()
                            .enablePeriodicRefresh(REFRESH_CLUSTER)
                            .adaptiveRefreshTriggersTimeout(MIN_REFRESH_CLUSTER)
                            .refreshTriggersReconnectAttempts(RECONNECTS_BEFORE_REFRESH)
                            .build())
                    .build());
            LettuceClusterConnection connection =
                    new LettuceClusterConnection(client.connect(), client, inFlight, shutDown);
            awaitMasters(connection.pingMasters(), patience);
            return connection;
        } catch (RuntimeException | Error e) {
            shutDown.run();
            throw e;
        }
    }

    /**
     * Waits until the masters are connected: Lettuce connects to a node on first use, and refuses commands until then. One
     * that answers is enough.
     */
    private static void awaitMasters(CompletableFuture<?>[] pongs, Duration patience) {
        CompletableFuture.allOf(pongs)
                .exceptionally(oneIsGone -> null)
                .completeOnTimeout(null, patience.toMillis(), TimeUnit.MILLISECONDS)
                .join();
        if (Stream.of(pongs).noneMatch(pong -> pong.isDone() && !pong.isCompletedExceptionally())) {
            throw new RedisConnectionException("no master of the cluster answers");
        }
    }

    /** Rejects commands while disconnected, which Lettuce would otherwise queue. */
    private <B extends ClientOptions.Builder> B options(B options, Duration patience) {
        options.autoReconnect(true)
                .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
                .sslOptions(sslOptions(patience))
                .timeoutOptions(
                        TimeoutOptions.builder().timeoutCommands(false).build()) // ResilientConnection does that
                .socketOptions(SocketOptions.builder()
                        .connectTimeout(patience)
                        .keepAlive(true)
                        .build());
        return options;
    }

    private SslOptions sslOptions(Duration patience) {
        SslOptions.Builder options = SslOptions.builder().handshakeTimeout(patience);
        if (tls.trust() != null) {
            options.trustManager(tls.trust());
        }
        if (tls.identity() != null) {
            options.keyManager(tls.identity());
        }
        return options.build();
    }

    private RedisURI uri(Duration patience) {
        RedisURI.Builder builder = RedisURI.builder();
        if (address.kind() == RedisAddress.Kind.SENTINEL) {
            builder.withSentinelMasterId(address.master());
            for (RedisAddress.Node node : address.nodes()) {
                builder.withSentinel(withLogin(
                        RedisURI.builder().withHost(node.host()).withPort(node.port()), sentinelLogin, patience));
            }
        } else {
            RedisAddress.Node node = address.nodes().get(0);
            builder.withHost(node.host()).withPort(node.port());
        }
        return withLogin(builder.withDatabase(address.database()), login, patience);
    }

    private RedisURI withLogin(RedisURI.Builder builder, @Nullable Login login, Duration patience) {
        if (login != null) {
            builder.withAuthentication(
                    RedisCredentialsProvider.from(() -> RedisCredentials.just(login.user(), login.currentPassword())));
        }
        return builder.withSsl(address.tls()).withTimeout(patience).build();
    }
}
