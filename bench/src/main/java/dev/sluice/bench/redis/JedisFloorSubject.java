package dev.sluice.bench.redis;

import dev.sluice.bench.report.Programs;
import java.net.URI;
import java.util.List;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.RedisClient;

/** The floor on a plain pool of Jedis. */
final class JedisFloorSubject implements Subject {
    private final RedisClient jedis;
    private final String sha;
    private final List<String> args;

    JedisFloorSubject(String url, Quota quota) {
        URI uri = URI.create(url);
        ConnectionPoolConfig pool = new ConnectionPoolConfig();
        pool.setMaxTotal(RedisLoad.THREAD_COUNT);
        pool.setMaxIdle(RedisLoad.THREAD_COUNT);
        this.jedis = RedisClient.builder()
                .hostAndPort(uri.getHost(), uri.getPort())
                .clientConfig(DefaultJedisClientConfig.builder()
                        .database(Integer.parseInt(uri.getPath().substring(1)))
                        .build())
                .poolConfig(pool)
                .build();
        this.sha = jedis.scriptLoad(Programs.resource(JedisFloorSubject.class, "floor.lua"));
        this.args = List.of(Long.toString(quota.periodMillis()));
    }

    @Override
    public boolean tryAcquire(String key) {
        return (Long) jedis.evalsha(sha, List.of(key), args) > 0;
    }

    @Override
    public void close() {
        jedis.close();
    }
}
