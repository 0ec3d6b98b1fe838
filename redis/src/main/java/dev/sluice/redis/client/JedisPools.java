package dev.sluice.redis.client;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;
import redis.clients.jedis.ConnectionPool;
import redis.clients.jedis.JedisCluster;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.RedisClusterClient;
import redis.clients.jedis.RedisSentinelClient;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.util.Pool;

/** The pools behind a Jedis client, which each kind of client keeps in its own way. */
@SuppressWarnings("deprecation") // an application may still use a JedisCluster
final class JedisPools {
    private JedisPools() {}

    static boolean isCluster(UnifiedJedis jedis) {
        return jedis instanceof RedisClusterClient || jedis instanceof JedisCluster;
    }

    /** All pools; none for a client that does not show them. */
    static Collection<? extends Pool<Connection>> all(UnifiedJedis jedis) {
        if (jedis instanceof RedisClient one) {
            return List.of(one.getPool());
        }
        if (jedis instanceof RedisSentinelClient master) {
            return master.getPrimaryNodesConnectionMap().values();
        }
        return nodes(jedis).values();
    }

    /** The pool of one node of a cluster, or null if there is none of that name. */
    static @Nullable ConnectionPool ofNode(UnifiedJedis jedis, String node) {
        return nodes(jedis).get(node);
    }

    /** Lets a client for a cluster look for the masters. */
    static void refreshCluster(UnifiedJedis jedis) {
        if (jedis instanceof RedisClusterClient cluster) {
            cluster.refreshClusterTopology();
        } else if (jedis instanceof JedisCluster cluster) {
            cluster.refreshClusterTopology();
        }
    }

    private static Map<String, ConnectionPool> nodes(UnifiedJedis jedis) {
        if (jedis instanceof RedisClusterClient cluster) {
            return cluster.getClusterNodes();
        }
        return jedis instanceof JedisCluster cluster ? cluster.getClusterNodes() : Map.of();
    }
}
