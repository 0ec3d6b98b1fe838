package dev.sluice.server.ruleset;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.lettuce.core.KeyValue;
import io.lettuce.core.RedisException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.cluster.api.sync.RedisClusterCommands;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Rules and temporary overrides that servers share through Redis.
 *
 * <pre>
 *   sluice:{rules}            hash: version, the id of the newest version; overrides, a count of changes
 *   sluice:{rules}:versions   list: the newest version first, each JSON with the whole text
 *   sluice:{rules}:overrides  hash: the temporary overrides, JSON by name
 * </pre>
 *
 * <p>No limiter has such a key: between its braces there is always a colon. None of the keys expires.
 */
final class RedisRules implements SharedRules {
    private static final String PUBLISH = script("publish-version.lua");
    private static final String PUT = script("put-override.lua");

    private final RedisConnection connection;
    private final String state;
    private final String versions;
    private final String overrides;
    private final int maxVersions;

    RedisRules(String url, String prefix, int maxVersions) {
        this.connection = new RedisConnection(url);
        this.state = prefix + ":{rules}";
        this.versions = state + ":versions";
        this.overrides = state + ":overrides";
        this.maxVersions = maxVersions;
    }

    @Override
    public State state() {
        return call(redis -> {
            List<KeyValue<String, String>> fields = redis.hmget(state, "version", "overrides");
            return new State(fields.get(0).getValueOrElse(""), fields.get(1).getValueOrElse(""));
        });
    }

    @Override
    public List<RuleVersion> versions() {
        return call(redis -> redis.lrange(versions, 0, -1).stream()
                .map(JsonObject::new)
                .map(RuleVersion::of)
                .toList());
    }

    @Override
    public boolean publish(String after, RuleVersion version) {
        String[] keys = {state, versions};
        Long published = call(redis -> redis.<Long>eval(
                PUBLISH,
                ScriptOutputType.INTEGER,
                keys,
                after,
                version.id(),
                version.json().encode(),
                Integer.toString(maxVersions)));
        return published == 1;
    }

    @Override
    public Map<String, TemporaryOverride> overrides() {
        return call(redis -> {
            Map<String, TemporaryOverride> read = new HashMap<>();
            redis.hgetall(overrides)
                    .forEach((name, json) -> read.put(name, TemporaryOverride.of(new JsonObject(json))));
            return read;
        });
    }

    @Override
    public void put(TemporaryOverride override) {
        put(override.name(), override.json().encode());
    }

    @Override
    public void remove(String name) {
        put(name, "");
    }

    @Override
    public void close() {
        connection.close();
    }

    private void put(String name, String json) {
        String[] keys = {state, overrides};
        call(redis ->
                redis.<Long>eval(PUT, ScriptOutputType.INTEGER, keys, name, json, Integer.toString(MAX_OVERRIDES)));
    }

    private <T> T call(Function<RedisClusterCommands<String, String>, T> command) {
        try {
            return command.apply(connection.commands());
        } catch (RedisException e) {
            connection.drop();
            throw new UnreachableException("Redis does not answer: " + e.getMessage(), e);
        } catch (DecodeException | NullPointerException | ClassCastException | IllegalArgumentException e) {
            throw new UnreachableException("what is in " + state + " cannot be read: " + e.getMessage(), e);
        }
    }

    private static String script(String name) {
        try (InputStream in = RedisRules.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException("not in this build: " + name);
            }
            return new String(in.readAllBytes(), UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
