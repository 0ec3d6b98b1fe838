package dev.sluice.server;

import dev.sluice.server.admin.AdminTokens;
import dev.sluice.server.admin.AuditLog;
import dev.sluice.server.check.HeaderFields;
import dev.sluice.server.envoy.EnvoyFolder;
import dev.sluice.server.ruleset.InitialRules;
import dev.sluice.server.tls.TlsFiles;
import dev.sluice.server.trace.CheckTracer;
import dev.sluice.server.web.Bounds;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a server.
 *
 * @param rules the rules it starts with
 * @param store the store of the counters: {@code memory}, or the URL of a Redis; null: the store that the rules name
 * @param memory the bound on the bytes of this process that counters take, such as {@code 256MB} or {@code 25%}; null:
 *     what the rules say
 * @param redis how a Redis is used
 * @param data the address of the data port
 * @param admin the address of the admin port
 * @param tokens the tokens for the admin port
 * @param audit records changes made over the admin port; the server closes it
 * @param envoy the limits for Envoy, which the server closes; null: the rules
 * @param bounds how much clients may use of the server
 * @param drain how long the server goes on after it has said that it is not ready any more, before it closes its ports
 * @param grace how long requests under way may take when the server stops
 * @param fields which header fields show a client its limits
 * @param tracer makes a span of every check, and is closed by the server; null for no traces
 */
public record ServerSettings(
        InitialRules rules,
        @Nullable String store,
        @Nullable String memory,
        Redis redis,
        Address data,
        Address admin,
        AdminTokens tokens,
        AuditLog audit,
        @Nullable EnvoyFolder envoy,
        Bounds bounds,
        Duration drain,
        Duration grace,
        HeaderFields fields,
        @Nullable CheckTracer tracer) {
    /**
     * The address that a port listens on.
     *
     * @param port 0 takes a free one
     * @param tls the files for TLS; null for none
     */
    public record Address(String host, int port, @Nullable TlsFiles tls) {
        /** Every address of this machine. */
        public static final String ALL = "0.0.0.0";

        /** The address that only this machine can reach. */
        public static final String LOOPBACK = "127.0.0.1";

        /** Without TLS. */
        public Address(String host, int port) {
            this(host, port, null);
        }

        /** The URL under which this machine reaches a port that listens here. */
        public String url(int port) {
            boolean every = host.equals(ALL) || host.equals("::");
            String name = every ? LOOPBACK : host.indexOf(':') >= 0 ? "[" + host + "]" : host;
            return (tls == null ? "http://" : "https://") + name + ":" + port;
        }
    }

    /**
     * How a Redis is used.
     *
     * @param prefix the prefix of all keys
     * @param timeout how long to wait for an answer
     */
    public record Redis(String prefix, Duration timeout) {
        static final Redis DEFAULTS = new Redis("sluice", Duration.ofMillis(50));
    }

    private static final Address FREE_PORT = new Address(Address.LOOPBACK, 0);
    private static final Duration DEFAULT_GRACE = Duration.ofSeconds(10);

    /** These rules, in the store they name, on two free ports of the loopback address. */
    public static ServerSettings of(InitialRules rules) {
        return new ServerSettings(
                rules,
                null,
                null,
                Redis.DEFAULTS,
                FREE_PORT,
                FREE_PORT,
                AdminTokens.none(),
                AuditLog.to(System.out),
                null,
                Bounds.DEFAULTS,
                Duration.ZERO,
                DEFAULT_GRACE,
                HeaderFields.STANDARD,
                null);
    }

    public ServerSettings store(@Nullable String store) {
        return new ServerSettings(
                rules, store, memory, redis, data, admin, tokens, audit, envoy, bounds, drain, grace, fields, tracer);
    }

    public ServerSettings memory(@Nullable String memory) {
        return new ServerSettings(
                rules, store, memory, redis, data, admin, tokens, audit, envoy, bounds, drain, grace, fields, tracer);
    }

    public ServerSettings redis(Redis redis) {
        return new ServerSettings(
                rules, store, memory, redis, data, admin, tokens, audit, envoy, bounds, drain, grace, fields, tracer);
    }

    public ServerSettings at(Address data, Address admin) {
        return new ServerSettings(
                rules, store, memory, redis, data, admin, tokens, audit, envoy, bounds, drain, grace, fields, tracer);
    }

    public ServerSettings guarded(AdminTokens tokens, AuditLog audit) {
        return new ServerSettings(
                rules, store, memory, redis, data, admin, tokens, audit, envoy, bounds, drain, grace, fields, tracer);
    }

    public ServerSettings envoy(@Nullable EnvoyFolder envoy) {
        return new ServerSettings(
                rules, store, memory, redis, data, admin, tokens, audit, envoy, bounds, drain, grace, fields, tracer);
    }

    public ServerSettings bounds(Bounds bounds) {
        return new ServerSettings(
                rules, store, memory, redis, data, admin, tokens, audit, envoy, bounds, drain, grace, fields, tracer);
    }

    public ServerSettings drain(Duration drain) {
        return new ServerSettings(
                rules, store, memory, redis, data, admin, tokens, audit, envoy, bounds, drain, grace, fields, tracer);
    }

    public ServerSettings grace(Duration grace) {
        return new ServerSettings(
                rules, store, memory, redis, data, admin, tokens, audit, envoy, bounds, drain, grace, fields, tracer);
    }

    public ServerSettings fields(HeaderFields fields) {
        return new ServerSettings(
                rules, store, memory, redis, data, admin, tokens, audit, envoy, bounds, drain, grace, fields, tracer);
    }

    public ServerSettings tracer(@Nullable CheckTracer tracer) {
        return new ServerSettings(
                rules, store, memory, redis, data, admin, tokens, audit, envoy, bounds, drain, grace, fields, tracer);
    }
}
