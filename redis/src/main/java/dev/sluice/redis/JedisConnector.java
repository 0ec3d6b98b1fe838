package dev.sluice.redis;

import java.time.Duration;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.commons.pool2.impl.GenericObjectPoolConfig;
import redis.clients.jedis.Connection;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.RedisClusterClient;
import redis.clients.jedis.RedisSentinelClient;
import redis.clients.jedis.SslOptions;
import redis.clients.jedis.UnifiedJedis;

/** Makes wires through Jedis from an address. */
final class JedisConnector {
    private static final int MOST_CONNECTIONS = 64;

    private JedisConnector() {}

    /** Connects; no call waits longer than {@code timeout} for a connection, or for its reply. */
    static Wire connect(Address address, Duration timeout) {
        UnifiedJedis jedis = client(address, timeout);
        return new JedisWire(jedis, jedis::close);
    }

    private static UnifiedJedis client(Address address, Duration timeout) {
        JedisClientConfig config = config(address, timeout);
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
                        .sentinelClientConfig(DefaultJedisClientConfig.builder()
                                .connectionTimeoutMillis((int) timeout.toMillis())
                                .build())
                        .poolConfig(pool)
                        .build();
            case CLUSTER ->
                RedisClusterClient.builder()
                        .nodes(nodes)
                        .clientConfig(config)
                        .maxAttempts(2)
                        .maxTotalRetriesDuration(timeout)
                        .poolConfig(pool)
                        .build();
        };
    }

    private static JedisClientConfig config(Address address, Duration timeout) {
        DefaultJedisClientConfig.Builder config = DefaultJedisClientConfig.builder()
                .timeoutMillis((int) timeout.toMillis())
                .database(address.database());
        if (address.tls()) {
            config.sslOptions(SslOptions.defaults());
        }
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
        pool.setMaxTotal(MOST_CONNECTIONS);
        pool.setMaxIdle(MOST_CONNECTIONS);
        pool.setMaxWait(timeout);
        pool.setBlockWhenExhausted(true);
        return pool;
    }
}
