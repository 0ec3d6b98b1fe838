package dev.sluice.server.ruleset;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.RedisClusterURIUtil;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.sync.RedisClusterCommands;
import io.lettuce.core.resource.ClientResources;
import java.net.URI;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A connection to Redis for what servers share beside their counters, opened when it is needed. After any failure it is dropped and opened
 * again: it is used a few times a second, so this is cheap, and it finds a master that has moved.
 */
public final class RedisConnection implements AutoCloseable {
    private static final Duration TIMEOUT = Duration.ofSeconds(1);
    private static final String CLUSTER = "-cluster://";

    private final ClientResources resources = ClientResources.builder()
            .ioThreadPoolSize(2)
            .computationThreadPoolSize(2)
            .build();
    private final @Nullable RedisClient single;
    private final @Nullable RedisClusterClient cluster;
    private @Nullable StatefulConnection<String, String> connection;
    private @Nullable RedisClusterCommands<String, String> commands;

    public RedisConnection(String url) {
        boolean clustered = url.contains(CLUSTER);
        this.single = clustered ? null : single(url, resources);
        this.cluster = clustered ? cluster(url, resources) : null;
    }

    /** The commands of an open connection; throws Lettuce's own exceptions if Redis is not there. */
    public RedisClusterCommands<String, String> commands() {
        RedisClusterCommands<String, String> made = commands;
        if (made == null) {
            made = single != null ? connected(single) : connected(Objects.requireNonNull(cluster));
            commands = made;
        }
        return made;
    }

    private RedisClusterCommands<String, String> connected(RedisClient client) {
        StatefulRedisConnection<String, String> made = client.connect();
        connection = made;
        return made.sync();
    }

    private RedisClusterCommands<String, String> connected(RedisClusterClient client) {
        client.refreshPartitions();
        StatefulRedisClusterConnection<String, String> made = client.connect();
        connection = made;
        made.setTimeout(TIMEOUT);
        return made.sync();
    }

    /** Closes the connection; the next command opens another. */
    public void drop() {
        commands = null;
        if (connection != null) {
            connection.closeAsync();
            connection = null;
        }
    }

    @Override
    public void close() {
        AbstractRedisClient client = single != null ? single : Objects.requireNonNull(cluster);
        client.shutdown(0, 100, TimeUnit.MILLISECONDS);
        resources.shutdown(0, 100, TimeUnit.MILLISECONDS);
    }

    private static RedisClient single(String url, ClientResources resources) {
        RedisURI uri = RedisURI.create(url);
        uri.setTimeout(TIMEOUT);
        RedisClient client = RedisClient.create(resources, uri);
        client.setOptions(options(ClientOptions.builder()).build());
        return client;
    }

    private static RedisClusterClient cluster(String url, ClientResources resources) {
        Iterable<RedisURI> seeds = RedisClusterURIUtil.toRedisURIs(URI.create(url.replace(CLUSTER, "://")));
        seeds.forEach(seed -> seed.setTimeout(TIMEOUT));
        RedisClusterClient client = RedisClusterClient.create(resources, seeds);
        ClusterClientOptions.Builder options = ClusterClientOptions.builder();
        options(options);
        // It connects to a node at the first command for it, and would reject that one.
        options.disconnectedBehavior(ClientOptions.DisconnectedBehavior.ACCEPT_COMMANDS);
        client.setOptions(options.build());
        return client;
    }

    private static <B extends ClientOptions.Builder> B options(B options) {
        options.autoReconnect(false)
                .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
                .socketOptions(SocketOptions.builder()
                        .connectTimeout(TIMEOUT)
                        .keepAlive(true)
                        .build());
        return options;
    }
}
