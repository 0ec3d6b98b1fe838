package dev.sluice.bench.redis;

import dev.sluice.bench.core.Expect;
import dev.sluice.bench.core.Keys;
import dev.sluice.bench.redis.Driver.Pace;
import dev.sluice.bench.redis.RedisBench.Figure;
import dev.sluice.bench.report.Measurements;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;

/** Decisions per second of each row under each load, and what they cost Redis. Every call is allowed. */
final class RedisThroughput implements AutoCloseable {
    private record Place(RedisRow row, boolean hot) {}

    /** Keys in an order that no cache can guess, over and over. For one thread. */
    static final class KeyRing implements Supplier<String> {
        private final String[] keys;
        private final int[] order;
        private int position;

        KeyRing(String[] keys) {
            this.keys = keys;
            this.order = Keys.shuffledOrder(keys.length);
        }

        @Override
        public String get() {
            position = position + 1 < order.length ? position + 1 : 0;
            return keys[order[position]];
        }
    }

    private final Server server;
    private final RedisBench.Length length;
    private final Measurements figures;
    private final String[] keys;
    private final KeyRing ring;
    private final Map<Place, Subject> subjects = new LinkedHashMap<>();

    RedisThroughput(Server server, RedisBench.Length length, Measurements figures) {
        this.server = server;
        this.length = length;
        this.figures = figures;
        this.keys = Keys.create(length.keys());
        this.ring = new KeyRing(keys);
    }

    /** Creates the state of all keys, and warms the row up. */
    String warmUp(RedisRow row, RedisLoad load) {
        if (!load.isHot()) {
            Subject subject = subject(row, false);
            server.clear(Server.database(row, false));
            subject.prepare(keys);
            Driver.once(subject, ring, RedisLoad.MAX_IN_FLIGHT, keys.length);
        }
        return perSecond(run(row, load, length.warmupMillis()));
    }

    String measure(RedisRow row, RedisLoad load) {
        CommandStats before = server.commandStats();
        Pace pace = run(row, load, length.millis());
        CommandStats.Cost cost = row.cost(server.commandStats().since(before));
        figures.add(row, load, pace.perSecond());
        if (load == RedisLoad.IN_FLIGHT) {
            figures.add(row, Figure.REDIS_MICROS, cost.micros() / pace.decisions());
            figures.add(row, Figure.COMMANDS, cost.calls() / pace.decisions());
        } else if (load == RedisLoad.LONE) {
            figures.add(row, Figure.LONE_REDIS_MICROS, cost.micros() / pace.decisions());
        }
        return perSecond(pace);
    }

    private Pace run(RedisRow row, RedisLoad load, long millis) {
        Subject subject = subject(row, load.isHot());
        String key = keys[0];
        if (load.isHot()) {
            server.clear(Server.database(row, true));
            subject.prepare(key);
        }
        return switch (load) {
            case LONE -> Driver.blocking(() -> Expect.allowed(subject.tryAcquire(key)), 1, millis);
            case THREADS ->
                Driver.blocking(() -> Expect.allowed(subject.tryAcquire(key)), RedisLoad.THREAD_COUNT, millis);
            case IN_FLIGHT -> Driver.inFlight(subject, () -> key, RedisLoad.MAX_IN_FLIGHT, millis);
            case KEYS -> Driver.inFlight(subject, ring, RedisLoad.MAX_IN_FLIGHT, millis);
        };
    }

    /** Opened once and kept, so that each is as warm as the others. */
    private Subject subject(RedisRow row, boolean hot) {
        return subjects.computeIfAbsent(
                new Place(row, hot),
                place -> row.open(server.url(Server.database(row, hot)), hot ? row.hot() : Quota.KEYED));
    }

    private static String perSecond(Pace pace) {
        return "%,.0f per second".formatted(pace.perSecond());
    }

    @Override
    public void close() {
        subjects.values().forEach(Subject::close);
    }
}
