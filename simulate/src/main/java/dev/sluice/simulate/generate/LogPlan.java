package dev.sluice.simulate.generate;

import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.Set;

/**
 * What to generate. The same plan always gives the same log.
 *
 * @param seed what all random choices follow from
 * @param lines about how many requests
 * @param clients how many people and offices
 * @param start when the log starts
 * @param duration how long it lasts
 * @param without the kinds of clients that are left out
 */
public record LogPlan(long seed, long lines, int clients, Instant start, Duration duration, Set<ClientKind> without) {
    /** The largest number of clients. */
    public static final int MAX_CLIENTS = 1_000_000;

    private static final int LINES_PER_CLIENT = 200;
    private static final int MIN_CLIENTS = 20;
    private static final Instant MAX_START = Instant.parse("2100-01-01T00:00:00Z");

    public LogPlan {
        check(lines >= 1, "lines must be 1 or more, was " + lines);
        check(clients >= 1 && clients <= MAX_CLIENTS, "clients must be from 1 to " + MAX_CLIENTS + ", was " + clients);
        check(
                duration.compareTo(Duration.ofMinutes(1)) >= 0 && duration.compareTo(Duration.ofDays(366)) <= 0,
                "duration must be from one minute to 366 days, was " + duration);
        check(
                !start.isBefore(Instant.EPOCH) && start.isBefore(MAX_START),
                "start must be from 1970 to 2099, was " + start);
        without = Set.copyOf(without);
        check(without.size() < ClientKind.values().length, "no kind of client is left");
    }

    private static void check(boolean right, String message) {
        if (!right) {
            throw new IllegalArgumentException(message);
        }
    }

    /** A day of November 2026 with a fitting number of clients. */
    public static LogPlan of(long seed, long lines) {
        return new LogPlan(
                seed,
                lines,
                clientsFor(lines),
                Instant.parse("2026-11-02T00:00:00Z"),
                Duration.ofDays(1),
                EnumSet.noneOf(ClientKind.class));
    }

    /** The number of people and offices who make so many requests in a while. */
    public static int clientsFor(long lines) {
        return (int) Math.min(MAX_CLIENTS, Math.max(MIN_CLIENTS, lines / LINES_PER_CLIENT));
    }

    /** The same without some kinds of clients. */
    public LogPlan without(Set<ClientKind> kinds) {
        return new LogPlan(seed, lines, clients, start, duration, kinds);
    }

    /** The same with another start and duration. */
    public LogPlan during(Instant start, Duration duration) {
        return new LogPlan(seed, lines, clients, start, duration, without);
    }

    boolean has(ClientKind kind) {
        return !without.contains(kind);
    }
}
