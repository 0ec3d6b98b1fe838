package dev.sluice.bench.redis;

import dev.sluice.bench.core.Expect;
import dev.sluice.bench.core.Keys;
import java.util.LinkedHashMap;
import java.util.Map;

/** Decisions per second of each row under each load, and what they cost Redis. Every call is allowed. */
final class Throughput implements AutoCloseable {
    private record Place(Row row, boolean hot) {}

    private final Server server;
    private final Effort effort;
    private final Figures figures;
    private final String[] keys;
    private final KeyRing ring;
    private final Map<Place, Subject> subjects = new LinkedHashMap<>();

    Throughput(Server server, Effort effort, Figures figures) {
        this.server = server;
        this.effort = effort;
        this.figures = figures;
        this.keys = Keys.create(effort.keys());
        this.ring = new KeyRing(keys);
    }

    /** Fills what is to be full and warms up what is to be warm. */
    String warmUp(Row row, Load load) {
        if (!load.isHot()) {
            Subject subject = subject(row, false);
            server.clear(Server.database(row, false));
            subject.prepare(keys);
            Driver.once(subject, ring, Load.MOST_IN_FLIGHT, keys.length);
        }
        return perSecond(run(row, load, effort.warmupMillis()));
    }

    String measure(Row row, Load load) {
        CommandStats before = server.commandStats();
        Pace pace = run(row, load, effort.millis());
        CommandStats.Cost cost = row.cost(server.commandStats().since(before));
        figures.add(row, load, pace.perSecond());
        if (load == Load.IN_FLIGHT) {
            figures.add(row, Figures.What.REDIS_MICROS, cost.micros() / pace.decisions());
            figures.add(row, Figures.What.COMMANDS, cost.calls() / pace.decisions());
        }
        return perSecond(pace);
    }

    private Pace run(Row row, Load load, long millis) {
        Subject subject = subject(row, load.isHot());
        String key = keys[0];
        if (load.isHot()) {
            server.clear(Server.database(row, true));
            subject.prepare(key);
        }
        return switch (load) {
            case THREADS -> Driver.blocking(() -> Expect.allowed(subject.tryAcquire(key)), Load.THREAD_COUNT, millis);
            case IN_FLIGHT -> Driver.inFlight(subject, () -> key, Load.MOST_IN_FLIGHT, millis);
            case KEYS -> Driver.inFlight(subject, ring, Load.MOST_IN_FLIGHT, millis);
        };
    }

    /** Opened once and kept, so that each is as warm as the others. */
    private Subject subject(Row row, boolean hot) {
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
