package dev.sluice.server;

import dev.sluice.server.admin.AuditLog;
import dev.sluice.server.admin.RuleSource;
import dev.sluice.server.admin.Tokens;
import dev.sluice.server.envoy.EnvoyFolder;
import dev.sluice.server.web.Bounds;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a server is started with.
 *
 * @param rules the rules it starts with
 * @param store where counters are kept: {@code memory}, or the URL of a Redis; null: what the rules say
 * @param redis how a Redis is used
 * @param data where those who ask come in
 * @param admin where those who look after it come in
 * @param tokens who may come in there
 * @param audit where changes are written down; the server closes it
 * @param envoy what Envoys are answered by, which the server closes; null: the rules
 * @param grace how long requests under way may take when the server stops
 */
record Settings(
        RuleSource.Start rules,
        @Nullable String store,
        Redis redis,
        Place data,
        Place admin,
        Tokens tokens,
        AuditLog audit,
        @Nullable EnvoyFolder envoy,
        Bounds bounds,
        Duration grace) {
    /** Where a port listens; 0 for any that is free. */
    record Place(String host, int port) {
        static final String EVERYWHERE = "0.0.0.0";
        static final String LOOPBACK = "127.0.0.1";
    }

    /**
     * How a Redis is used.
     *
     * @param prefix what the names of all keys begin with
     * @param timeout how long it has for an answer
     */
    record Redis(String prefix, Duration timeout) {
        static final Redis USUAL = new Redis("sluice", Duration.ofMillis(50));
    }

    private static final Place ANYWHERE = new Place(Place.LOOPBACK, 0);
    private static final Duration USUAL_GRACE = Duration.ofSeconds(10);

    /** These rules, in the store they name, on two ports of this machine that are free. */
    static Settings of(RuleSource.Start rules) {
        return new Settings(
                rules,
                null,
                Redis.USUAL,
                ANYWHERE,
                ANYWHERE,
                Tokens.none(),
                AuditLog.to(System.out),
                null,
                Bounds.DEFAULTS,
                USUAL_GRACE);
    }

    Settings store(@Nullable String store) {
        return new Settings(rules, store, redis, data, admin, tokens, audit, envoy, bounds, grace);
    }

    Settings redis(Redis redis) {
        return new Settings(rules, store, redis, data, admin, tokens, audit, envoy, bounds, grace);
    }

    Settings at(Place data, Place admin) {
        return new Settings(rules, store, redis, data, admin, tokens, audit, envoy, bounds, grace);
    }

    Settings guarded(Tokens tokens, AuditLog audit) {
        return new Settings(rules, store, redis, data, admin, tokens, audit, envoy, bounds, grace);
    }

    Settings envoy(@Nullable EnvoyFolder envoy) {
        return new Settings(rules, store, redis, data, admin, tokens, audit, envoy, bounds, grace);
    }

    Settings bounds(Bounds bounds) {
        return new Settings(rules, store, redis, data, admin, tokens, audit, envoy, bounds, grace);
    }

    Settings grace(Duration grace) {
        return new Settings(rules, store, redis, data, admin, tokens, audit, envoy, bounds, grace);
    }
}
