package dev.sluice.server.admin;

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
 * A board in Redis.
 *
 * <pre>
 *   sluice:{board}            hash: version, the id of the newest; holds, a count of changes
 *   sluice:{board}:versions   list: the newest first, each JSON with the whole text
 *   sluice:{board}:holds      hash: what holds for single keys
 * </pre>
 *
 * <p>No limiter has such a key: between its braces there is always a colon. None of the keys expires.
 */
final class RedisBoard implements RuleBoard {
    private static final String POST = script("post.lua");
    private static final String HOLD = script("hold.lua");

    private final BoardLink link;
    private final String board;
    private final String versions;
    private final String holds;
    private final int mostVersions;

    RedisBoard(String url, String prefix, int mostVersions) {
        this.link = new BoardLink(url);
        this.board = prefix + ":{board}";
        this.versions = board + ":versions";
        this.holds = board + ":holds";
        this.mostVersions = mostVersions;
    }

    @Override
    public Glance glance() {
        return asked(redis -> {
            List<KeyValue<String, String>> fields = redis.hmget(board, "version", "holds");
            return new Glance(fields.get(0).getValueOrElse(""), fields.get(1).getValueOrElse(""));
        });
    }

    @Override
    public List<RuleVersion> versions() {
        return asked(redis -> redis.lrange(versions, 0, -1).stream()
                .map(JsonObject::new)
                .map(RuleVersion::of)
                .toList());
    }

    @Override
    public boolean post(String after, RuleVersion version) {
        String[] keys = {board, versions};
        return asked(redis -> isDone(redis.<Long>eval(
                POST,
                ScriptOutputType.INTEGER,
                keys,
                after,
                version.id(),
                version.json().encode(),
                Integer.toString(mostVersions))));
    }

    @Override
    public Map<String, KeyHold> holds() {
        return asked(redis -> {
            Map<String, KeyHold> read = new HashMap<>();
            redis.hgetall(holds).forEach((name, json) -> read.put(name, KeyHold.of(new JsonObject(json))));
            return read;
        });
    }

    @Override
    public void hold(KeyHold hold) {
        held(hold.name(), hold.json().encode());
    }

    @Override
    public void drop(String name) {
        held(name, "");
    }

    @Override
    public void close() {
        link.close();
    }

    private void held(String name, String json) {
        String[] keys = {board, holds};
        asked(redis ->
                redis.<Long>eval(HOLD, ScriptOutputType.INTEGER, keys, name, json, Integer.toString(MOST_HOLDS)));
    }

    private static boolean isDone(Long reply) {
        return reply == 1;
    }

    private <T> T asked(Function<RedisClusterCommands<String, String>, T> question) {
        try {
            return question.apply(link.commands());
        } catch (RedisException e) {
            link.drop();
            throw new Unreachable("Redis does not answer: " + e.getMessage(), e);
        } catch (DecodeException | NullPointerException | ClassCastException | IllegalArgumentException e) {
            throw new Unreachable("what is in " + board + " cannot be read: " + e.getMessage(), e);
        }
    }

    private static String script(String name) {
        try (InputStream in = RedisBoard.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException("not in this build: " + name);
            }
            return new String(in.readAllBytes(), UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
