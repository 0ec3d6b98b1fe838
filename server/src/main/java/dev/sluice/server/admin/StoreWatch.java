package dev.sluice.server.admin;

import dev.sluice.redis.RedisStore;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;

/** Reports when Redis stops answering and when it answers again. Runs on one event loop. */
final class StoreWatch {
    private static final System.Logger LOG = System.getLogger(StoreWatch.class.getName());
    private static final long PERIOD_MILLIS = 200;

    private final Vertx vertx;
    private final RedisStore store;
    private final EventStream events;
    private boolean down;

    StoreWatch(Vertx vertx, RedisStore store, EventStream events) {
        this.vertx = vertx;
        this.store = store;
        this.events = events;
    }

    void begin() {
        vertx.setPeriodic(PERIOD_MILLIS, timer -> look());
    }

    private void look() {
        boolean now = store.counters().open();
        if (now != down) {
            down = now;
            events.publish(down ? "store-down" : "store-up", new JsonObject());
            LOG.log(
                    down ? System.Logger.Level.WARNING : System.Logger.Level.INFO,
                    down ? "Redis does not answer: rules follow their on-store-failure" : "Redis answers again");
        }
    }
}
