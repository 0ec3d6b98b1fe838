package dev.sluice.redis.client;

import java.time.Duration;
import java.util.Set;
import java.util.stream.Collectors;
import javax.net.ssl.SSLParameters;
import org.apache.commons.pool2.impl.GenericObjectPoolConfig;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.DefaultRedisCredentials;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.RedisClusterClient;
import redis.clients.jedis.RedisSentinelClient;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.exceptions.JedisBroadcastException;
import redis.clients.jedis.util.Delay;

/**
 * Connects to an address through Jedis, or uses a client that the application owns.
 *
 * @param login whom to log in to Redis as, or null for nobody
 * @param sentinelLogin the same for the Sentinels
 * @param timeout no step of a call takes longer
 */
public record JedisConnector(
        RedisAddress address,
        @Nullable Login login,
        @Nullable Login sentinelLogin,
        Tls tls,
        Duration timeout) implements Connector {
    private static final Duration SENTINEL_TIMEOUT = Duration.ofSeconds(1);
    private static final Duration REFRESH_CLUSTER = Duration.ofSeconds(10);
    private static final String OF_THE_APPLICATION = "redis";

    /** Uses a client that the application owns, and does not close it. */
    public static Connector over(UnifiedJedis jedis, Duration timeout) {
        JedisConnection one = new JedisConnection(jedis, OF_THE_APPLICATION, timeout, () -> {});
        return patience -> {
            one.askMode();
            return one;
        };
    }

    /** Jedis has the timeout of a call for that. */
    @Override
    public RedisConnection connect(Duration patience) {
        try {
            return connect(address);
        } catch (RuntimeException e) {
            throw address.unreachable(e);
        }
    }

    /** Connects. If one address leads to a node of a cluster, connects to the cluster. */
    private RedisConnection connect(RedisAddress to) {
        UnifiedJedis jedis = client(to);
        ServerMode mode;
        try {
            ping(jedis); // a pool connects on first use
            JedisConnection connection = new JedisConnection(jedis, to.name(), timeout, jedis::close);
            mode = connection.askMode();
            if (mode == ServerMode.SLOTS ? to.kind() == RedisAddress.Kind.CLUSTER : mode != ServerMode.SENTINEL) {
                return connection;
            }
            connection.close();
        } catch (RuntimeException e) {
            jedis.close();
            throw e;
        }
        if (mode == ServerMode.SENTINEL) {
            throw to.isSentinel();
        }
        return connect(to.asCluster());
    }

    /** Pings every master of a cluster; one that answers is enough. */
    private static void ping(UnifiedJedis jedis) {
        try {
            jedis.ping();
        } catch (JedisBroadcastException e) {
            if (!e.getReplies().containsValue("PONG")) {
                throw e;
            }
        }
    }

    private UnifiedJedis client(RedisAddress to) {
        JedisClientConfig config =
                withLogin(config(timeout), login).database(to.database()).build();
        GenericObjectPoolConfig<Connection> pool = pool();
        Set<HostAndPort> nodes = to.nodes().stream()
                .map(node -> new HostAndPort(node.host(), node.port()))
                .collect(Collectors.toSet());
        return switch (to.kind()) {
            case STANDALONE ->
                RedisClient.builder()
                        .hostAndPort(nodes.iterator().next())
                        .clientConfig(config)
                        .poolConfig(pool)
                        .build();
            case SENTINEL ->
                RedisSentinelClient.builder()
                        .sentinels(nodes)
                        .masterName(to.master())
                        .clientConfig(config)
                        .sentinelClientConfig(withLogin(config(SENTINEL_TIMEOUT), sentinelLogin)
                                .build())
                        .sentinelReconnectDelay(Delay.constant(SENTINEL_TIMEOUT))
                        .poolConfig(pool)
                        .build();
            case CLUSTER ->
                RedisClusterClient.builder()
                        .nodes(nodes)
                        .clientConfig(config)
                        .maxAttempts(2)
                        // a second attempt is for a redirection, and not for a first one that used up the time
                        .maxTotalRetriesDuration(timeout.dividedBy(2))
                        .topologyRefreshPeriod(REFRESH_CLUSTER)
                        .poolConfig(pool)
                        .build();
        };
    }

    @SuppressWarnings(
            "deprecation") // the replacement makes a context for each connection, and so loses the TLS sessions
    private DefaultJedisClientConfig.Builder config(Duration timeout) {
        DefaultJedisClientConfig.Builder config =
                DefaultJedisClientConfig.builder().timeoutMillis((int) timeout.toMillis());
        if (address.tls()) {
            SSLParameters parameters = new SSLParameters();
            parameters.setEndpointIdentificationAlgorithm("HTTPS"); // the certificate must be for the host
            config.ssl(true).sslSocketFactory(tls.context().getSocketFactory()).sslParameters(parameters);
        }
        return config;
    }

    private static DefaultJedisClientConfig.Builder withLogin(
            DefaultJedisClientConfig.Builder config, @Nullable Login login) {
        return login == null
                ? config
                : config.credentialsProvider(() -> new DefaultRedisCredentials(login.user(), login.currentPassword()));
    }

    private GenericObjectPoolConfig<Connection> pool() {
        ConnectionPoolConfig pool = new ConnectionPoolConfig();
        pool.setMaxTotal(JedisConnection.MAX_THREADS);
        pool.setMaxIdle(JedisConnection.MAX_THREADS);
        pool.setMaxWait(timeout);
        pool.setBlockWhenExhausted(true);
        return pool;
    }
}
