package dev.sluice.bench.redis;

import dev.sluice.bench.report.Programs;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.async.RedisAsyncCommands;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

/** A script by EVALSHA on a plain Lettuce connection, with nothing around it. */
final class ScriptSubject implements Subject {
    private final RedisClient client;
    private final RedisAsyncCommands<String, String> commands;
    private final String sha;
    private final ScriptOutputType output;
    private final Function<String, String[]> keys;
    private final Function<String, String[]> args;

    private ScriptSubject(
            String url,
            String script,
            ScriptOutputType output,
            Function<String, String[]> keys,
            Function<String, String[]> args) {
        this.client = RedisClient.create(url);
        this.commands = client.connect().async();
        this.sha = commands.scriptLoad(Programs.resource(ScriptSubject.class, script))
                .toCompletableFuture()
                .join();
        this.output = output;
        this.keys = keys;
        this.args = args;
    }

    /** One of the two scripts that only count. */
    static Subject floor(String script, String url, Quota quota) {
        String[] args = {Long.toString(quota.periodMillis())};
        return new ScriptSubject(url, script, ScriptOutputType.INTEGER, ScriptSubject::itself, key -> args);
    }

    static Subject gatewayStyle(String url, Quota quota) {
        String[] args = {Double.toString(quota.permitsPerSecond()), Long.toString(quota.permits()), "1"};
        return new ScriptSubject(
                url,
                "gateway-style.lua",
                ScriptOutputType.MULTI,
                key -> new String[] {
                    "request_rate_limiter.{" + key + "}.tokens", "request_rate_limiter.{" + key + "}.timestamp"
                },
                key -> args);
    }

    static Subject sortedSet(String url, Quota quota) {
        String period = Long.toString(quota.periodMillis() * 1000);
        String permits = Long.toString(quota.permits());
        AtomicLong names = new AtomicLong();
        return new ScriptSubject(url, "sorted-set.lua", ScriptOutputType.INTEGER, ScriptSubject::itself, key -> {
            String now = Long.toString(ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now()));
            return new String[] {now, period, permits, now + "-" + names.getAndIncrement()};
        });
    }

    /** A sorted set by the server's clock that replies with a whole decision. */
    static Subject sortedSetWithContract(String url, Quota quota) {
        String period = Long.toString(quota.periodMillis() * 1000);
        String permits = Long.toString(quota.permits());
        AtomicLong names = new AtomicLong();
        return new ScriptSubject(url, "sorted-set-full.lua", ScriptOutputType.MULTI, ScriptSubject::itself, key ->
                new String[] {period, permits, Long.toString(names.getAndIncrement(), Character.MAX_RADIX)});
    }

    @Override
    public boolean tryAcquire(String key) {
        return allowed(run(key).toCompletableFuture().join());
    }

    @Override
    public void tryAcquire(String key, Reply reply) {
        reply.await(run(key), ScriptSubject::allowed);
    }

    @Override
    public void close() {
        client.shutdown();
    }

    private RedisFuture<Object> run(String key) {
        return commands.evalsha(sha, output, keys.apply(key), args.apply(key));
    }

    private static boolean allowed(Object reply) {
        Object first = reply instanceof List<?> numbers ? numbers.get(0) : reply;
        return (Long) first > 0;
    }

    private static String[] itself(String key) {
        return new String[] {key};
    }
}
