package dev.sluice.bench.redis;

import dev.sluice.bench.core.Keys;
import dev.sluice.bench.redis.RedisBench.Figure;
import dev.sluice.bench.report.Measurements;
import java.time.Duration;
import java.util.List;

/** The bytes of a client's keys in Redis, by MEMORY USAGE. */
final class Footprint {
    private static final int CLIENTS = 200;
    private static final Duration LONG_ENOUGH = Duration.ofDays(1);

    private final Server server;
    private final Measurements figures;

    Footprint(Server server, Measurements figures) {
        this.server = server;
        this.figures = figures;
    }

    /** Bytes after one decision for each client, beside plain counters whose names are as long. */
    String perKey(RedisRow row) {
        String[] clients = Keys.create(CLIENTS);
        List<String> names = fill(row, Quota.KEYED, clients, 1);
        double bytes = bytes(names) / CLIENTS;
        figures.add(row, Figure.BYTES_PER_KEY, bytes);
        double plain = plain(names.stream().mapToInt(String::length).max().orElseThrow());
        figures.add(row, Figure.PLAIN_BYTES_PER_KEY, plain);
        return "%.0f bytes per key, a plain counter %.0f".formatted(bytes, plain);
    }

    /** Bytes of a full log, filled one permit at a time. */
    String perPermit(RedisRow row, Figure what, int permits) {
        List<String> names = fill(row, new Quota(permits, LONG_ENOUGH), Keys.create(1), permits);
        double bytes = bytes(names) / permits;
        figures.add(row, what, bytes);
        return "%.1f bytes per permit".formatted(bytes);
    }

    private List<String> fill(RedisRow row, Quota quota, String[] clients, int permits) {
        server.clear(Server.SCRATCH);
        try (Subject subject = row.open(server.url(Server.SCRATCH), quota)) {
            subject.prepare(clients);
            for (String client : clients) {
                for (int i = 0; i < permits; i++) {
                    if (!subject.tryAcquire(client)) {
                        throw new IllegalStateException(row.label + " denied permit " + i + " of " + quota);
                    }
                }
            }
        }
        return server.keys(Server.SCRATCH);
    }

    private double bytes(List<String> names) {
        return names.stream()
                .mapToLong(name -> server.bytes(Server.SCRATCH, name))
                .sum();
    }

    private double plain(int length) {
        server.clear(Server.SCRATCH);
        for (int i = 0; i < CLIENTS; i++) {
            server.count(Server.SCRATCH, ("%0" + length + "d").formatted(i));
        }
        return bytes(server.keys(Server.SCRATCH)) / CLIENTS;
    }
}
