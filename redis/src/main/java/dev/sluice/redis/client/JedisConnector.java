package dev.sluice.redis.client;

import java.time.Duration;
import java.util.Set;
import java.util.stream.Collectors;
import javax.net.ssl.SSLParameters;
import org.apache.commons.pool2.impl.GenericObjectPoolConfig;
import redis.clients.jedis.Connection;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.RedisClusterClient;
import redis.clients.jedis.RedisSentinelClient;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.util.Delay;

/** Connects to an address through Jedis. */
public final class JedisConnector {
    private static final Duration SENTINEL_TIMEOUT = Duration.ofSeconds(1);
    private static final Duration REFRESH_CLUSTER = Duration.ofSeconds(10);

    private JedisConnector() {}

    /** Connects; no step of a call takes longer than {@code timeout}. */
    public static RedisConnection connect(RedisAddress address, Tls tls, Duration timeout) {
        try {
            UnifiedJedis jedis = client(address, tls, timeout);
            try {
                JedisConnection.ping(jedis); // a pool connects on first use
            } catch (RuntimeException e) {
                jedis.close();
                throw e;
            }
            return new JedisConnection(jedis, timeout, jedis::close);
        } catch (RuntimeException e) {
            throw address.unreachable(e);
        }
    }

    private static UnifiedJedis client(RedisAddress address, Tls tls, Duration timeout) {
        JedisClientConfig config = withLogin(config(address, tls, timeout), address);
        GenericObjectPoolConfig<Connection> pool = pool(timeout);
        Set<HostAndPort> nodes = address.nodes().stream()
                .map(node -> new HostAndPort(node.host(), node.port()))
                .collect(Collectors.toSet());
        return switch (address.kind()) {
            case STANDALONE ->
                RedisClient.builder()
                        .hostAndPort(nodes.iterator().next())
                        .clientConfig(config)
                        .poolConfig(pool)
                        .build();
            case SENTINEL ->
                RedisSentinelClient.builder()
                        .sentinels(nodes)
                        .masterName(address.master())
                        .clientConfig(config)
                        .sentinelClientConfig(
                                config(address, tls, SENTINEL_TIMEOUT).build())
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
    private static DefaultJedisClientConfig.Builder config(RedisAddress address, Tls tls, Duration timeout) {
        DefaultJedisClientConfig.Builder config =
                DefaultJedisClientConfig.builder().timeoutMillis((int) timeout.toMillis());
        if (address.tls()) {
            SSLParameters parameters = new SSLParameters();
            parameters.setEndpointIdentificationAlgorithm("HTTPS"); // the certificate must be for the host
            config.ssl(true).sslSocketFactory(tls.context().getSocketFactory()).sslParameters(parameters);
        }
        return config;
    }

    private static JedisClientConfig withLogin(DefaultJedisClientConfig.Builder config, RedisAddress address) {
        config.database(address.database());
        if (address.user() != null) {
            config.user(address.user());
        }
        if (address.password() != null) {
            config.password(address.password());
        }
        return config.build();
    }

    private static GenericObjectPoolConfig<Connection> pool(Duration timeout) {
        ConnectionPoolConfig pool = new ConnectionPoolConfig();
        pool.setMaxTotal(JedisConnection.MAX_THREADS);
        pool.setMaxIdle(JedisConnection.MAX_THREADS);
        pool.setMaxWait(timeout);
        pool.setBlockWhenExhausted(true);
        return pool;
    }
}
