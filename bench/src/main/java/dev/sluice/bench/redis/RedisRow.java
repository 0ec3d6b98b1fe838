package dev.sluice.bench.redis;

import dev.sluice.Limit;
import dev.sluice.redis.RedisStoreBuilder.Client;
import java.util.Arrays;
import java.util.List;

/** A limiter on Redis, or a floor, in the order of the tables. */
enum RedisRow {
    FLOOR("floor: INCR + PEXPIRE", Kind.FLOOR),
    FLOOR_WITH_CLOCK("the floor and TIME", Kind.FLOOR),
    FLOOR_TOGETHER("the floor, sent together", Kind.FLOOR),
    FLOOR_JEDIS("the floor, Jedis", Kind.FLOOR),
    FIXED_WINDOW("sluice fixed window", Kind.ONE_WORD),
    TOKEN_BUCKET("sluice token bucket", Kind.ONE_WORD),
    LEAKY_BUCKET("sluice leaky bucket", Kind.ONE_WORD),
    SLIDING_WINDOW("sluice sliding window", Kind.SLIDING),
    SLIDING_LOG("sluice sliding log", Kind.SLIDING),
    MIXED("sluice, four algorithms mixed", Kind.MIXED),
    JEDIS_TOKEN_BUCKET("sluice token bucket, Jedis", Kind.JEDIS),
    BUCKET4J_LETTUCE("Bucket4j, Lettuce", Kind.PEER),
    BUCKET4J_JEDIS("Bucket4j, Jedis", Kind.PEER),
    REDISSON("Redisson RRateLimiter", Kind.PEER),
    GATEWAY("gateway-style script", Kind.PEER),
    SORTED_SET("sorted-set log, caller's clock, yes or no", Kind.PEER),
    SORTED_SET_FULL("sorted-set log, our contract", Kind.PEER);

    /** The rows that keep every permit. */
    static final List<RedisRow> LOGS = List.of(SLIDING_LOG, SORTED_SET, SORTED_SET_FULL);

    private static final List<RedisRow> BLOCKING = List.of(FLOOR_JEDIS, JEDIS_TOKEN_BUCKET, BUCKET4J_JEDIS);
    private static final int SLICES = 10;

    /** The part a row plays. */
    enum Kind {
        FLOOR,
        ONE_WORD,
        SLIDING,
        MIXED,
        JEDIS,
        PEER
    }

    final String label;
    final Kind kind;

    RedisRow(String label, Kind kind) {
        this.label = label;
        this.kind = kind;
    }

    static List<RedisRow> of(Kind kind) {
        return Arrays.stream(values()).filter(row -> row.kind == kind).toList();
    }

    /** The rows that can be put under a load: a blocking client has no requests in flight. */
    static List<RedisRow> under(RedisLoad load) {
        return Arrays.stream(values())
                .filter(row -> !load.isAsync() || !BLOCKING.contains(row))
                .toList();
    }

    /** Connects to the Redis at {@code url}. */
    Subject open(String url, Quota q) {
        return switch (this) {
            case FLOOR -> ScriptSubject.floor("floor.lua", url, q);
            case FLOOR_WITH_CLOCK -> ScriptSubject.floor("floor-with-clock.lua", url, q);
            case FLOOR_TOGETHER -> new TogetherSubject(url, q);
            case FLOOR_JEDIS -> new JedisFloorSubject(url, q);
            case FIXED_WINDOW -> lettuce(url, Limit.fixedWindow(q.permits(), q.period()));
            case TOKEN_BUCKET -> lettuce(url, Limit.tokenBucket(q.permits(), q.period()));
            case LEAKY_BUCKET -> lettuce(url, Limit.leakyBucket(q.permits(), q.period()));
            case SLIDING_WINDOW -> lettuce(url, Limit.slidingWindow(q.permits(), q.period(), SLICES));
            case SLIDING_LOG -> lettuce(url, Limit.slidingLog(q.permits(), q.period()));
            case MIXED ->
                new SluiceSubject(
                        url,
                        Client.LETTUCE,
                        Limit.fixedWindow(q.permits(), q.period()),
                        Limit.tokenBucket(q.permits(), q.period()),
                        Limit.slidingWindow(q.permits(), q.period(), SLICES),
                        Limit.leakyBucket(q.permits(), q.period()));
            case JEDIS_TOKEN_BUCKET -> new SluiceSubject(url, Client.JEDIS, Limit.tokenBucket(q.permits(), q.period()));
            case BUCKET4J_LETTUCE -> Bucket4jSubject.onLettuce(url, q);
            case BUCKET4J_JEDIS -> Bucket4jSubject.onJedis(url, q);
            case REDISSON -> new RedissonSubject(url, q);
            case GATEWAY -> ScriptSubject.gatewayStyle(url, q);
            case SORTED_SET -> ScriptSubject.sortedSet(url, q);
            case SORTED_SET_FULL -> ScriptSubject.sortedSetWithContract(url, q);
        };
    }

    /** The limit on a hot key. */
    Quota hot() {
        return LOGS.contains(this) ? Quota.HOT_LOG : Quota.HOT;
    }

    /** The commands of this row, among all commands while no other row was running. */
    CommandStats.Cost cost(CommandStats stats) {
        return this == BUCKET4J_LETTUCE ? stats.scriptsAndGets() : stats.scripts();
    }

    private static Subject lettuce(String url, Limit limit) {
        return new SluiceSubject(url, Client.LETTUCE, limit);
    }
}
