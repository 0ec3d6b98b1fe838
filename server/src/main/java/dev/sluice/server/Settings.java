package dev.sluice.server;

import dev.sluice.rules.RuleSet;
import dev.sluice.server.http.Bounds;
import java.time.Duration;

/**
 * What a server is started with.
 *
 * @param store where counters are kept: {@code memory}, or the URL of a Redis
 * @param host where the data port listens
 * @param port the data port; 0 for any that is free
 * @param adminHost where the admin port listens
 * @param adminPort the admin port; 0 for any that is free
 * @param grace how long requests under way may take when the server stops
 */
record Settings(
        RuleSet rules,
        String store,
        String host,
        int port,
        String adminHost,
        int adminPort,
        Bounds bounds,
        Duration grace) {
    static final String EVERYWHERE = "0.0.0.0";
    static final String LOOPBACK = "127.0.0.1";
    static final Duration USUAL_GRACE = Duration.ofSeconds(10);

    /** These rules, in the store they name, on two ports that are free. */
    static Settings of(RuleSet rules) {
        return new Settings(rules, rules.store(), EVERYWHERE, 0, LOOPBACK, 0, Bounds.USUAL, USUAL_GRACE);
    }

    Settings store(String store) {
        return new Settings(rules, store, host, port, adminHost, adminPort, bounds, grace);
    }

    Settings ports(int port, int adminPort) {
        return new Settings(rules, store, host, port, adminHost, adminPort, bounds, grace);
    }

    Settings hosts(String host, String adminHost) {
        return new Settings(rules, store, host, port, adminHost, adminPort, bounds, grace);
    }

    Settings bounds(Bounds bounds) {
        return new Settings(rules, store, host, port, adminHost, adminPort, bounds, grace);
    }

    Settings grace(Duration grace) {
        return new Settings(rules, store, host, port, adminHost, adminPort, bounds, grace);
    }
}
