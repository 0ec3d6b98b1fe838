package dev.sluice.server.history;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;

/**
 * A server as the others see it.
 *
 * @param id differs after each start
 * @param since when it started, in seconds since 1970
 * @param seen when it was last heard of, likewise
 * @param isWatching whether somebody looks at its page
 * @param hot its hot keys
 * @param denied the keys that it denied most
 */
public record FleetServer(
        String id, long since, long seen, boolean isWatching, List<KeyWatch.Key> hot, List<KeyWatch.Key> denied) {
    static final int MAX_KEYS = 20;
    private static final int MAX_TEXT = 256;

    JsonObject json() {
        return new JsonObject()
                .put("since", since)
                .put("seen", seen)
                .put("watching", isWatching)
                .put("hot", array(hot))
                .put("denied", array(denied));
    }

    /** Reads what another server wrote; throws a RuntimeException if it is something else. */
    static FleetServer of(String id, JsonObject json) {
        return new FleetServer(
                bounded(id),
                json.getLong("since"),
                json.getLong("seen"),
                json.getBoolean("watching"),
                keys(json.getJsonArray("hot")),
                keys(json.getJsonArray("denied")));
    }

    private static JsonArray array(List<KeyWatch.Key> keys) {
        JsonArray array = new JsonArray();
        for (KeyWatch.Key key : keys) {
            array.add(new JsonArray()
                    .add(key.rule())
                    .add(key.key())
                    .add(key.atLeast())
                    .add(key.atMost())
                    .add(key.isShortened()));
        }
        return array;
    }

    private static List<KeyWatch.Key> keys(JsonArray array) {
        List<KeyWatch.Key> keys = new ArrayList<>();
        for (int i = 0; i < Math.min(MAX_KEYS, array.size()); i++) {
            JsonArray key = array.getJsonArray(i);
            keys.add(new KeyWatch.Key(
                    bounded(key.getString(0)),
                    bounded(key.getString(1)),
                    key.getLong(2),
                    key.getLong(3),
                    key.getBoolean(4)));
        }
        return keys;
    }

    private static String bounded(String text) {
        return text.length() > MAX_TEXT ? text.substring(0, MAX_TEXT) : text;
    }
}
