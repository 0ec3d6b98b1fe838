package dev.sluice.bench.server;

import java.util.List;

/** A kind of request to one of the servers, in the order of the tables. */
@SuppressWarnings("ImmutableEnumChecker") // the lists are
enum ServerRow {
    NGINX_PLAIN("nginx, return 200", ServerKind.NGINX, Way.HTTP, "/plain", "ok"),
    NGINX_LIMIT("nginx, limit_req", ServerKind.NGINX, Way.HTTP, "/limited", "image/gif"),
    NGINX_FILE("nginx, limit_req, a file", ServerKind.NGINX, Way.HTTP, "/file", "ok"),
    HAPROXY("HAProxy, stick table", ServerKind.HAPROXY, Way.HTTP, "/", "ok"),
    VERTX("Vert.x, a trivial reply", ServerKind.VERTX, Way.HTTP, "/", "ok"),
    VERTX_HTTP2("Vert.x, a trivial reply over HTTP/2", ServerKind.VERTX_HTTP2, Way.HTTP2, "/", "ok"),
    CHECK("sluice GET /v1/check", ServerKind.SLUICE, Way.HTTP),
    FOR_NGINX(
            "sluice GET /nginx",
            ServerKind.SLUICE_FOR_NGINX,
            Way.HTTP,
            "/nginx",
            RuleText.POLICY,
            "X-Original-URI: " + RuleText.PATH,
            "X-Original-Method: GET",
            "X-Original-Host: localhost",
            "X-Real-IP: " + RuleText.IP),
    RLS(
            "sluice RLS over gRPC",
            ServerKind.SLUICE_FOR_ENVOY,
            Way.GRPC,
            "/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit",
            RuleText.POLICY,
            "Content-Type: application/grpc",
            "TE: trailers"),
    WATCHED("sluice GET /v1/check, 10 pages open", ServerKind.SLUICE, Way.WATCHED),
    MANY_RULES("sluice GET /v1/check, 10,000 rules", ServerKind.SLUICE_MANY_RULES, Way.HTTP),
    ONE_KEY("sluice GET /v1/check, 1 key", ServerKind.SLUICE, Way.KEYS),
    MANY_KEYS("sluice GET /v1/check, 1,000,000 keys", ServerKind.SLUICE_MANY_KEYS, Way.KEYS),
    HOT_ONE_KEY("sluice GET /v1/check, 1 key, hot keys counted", ServerKind.SLUICE_HOT_KEYS, Way.HOT_KEYS),
    HOT_MANY_KEYS("sluice GET /v1/check, 1,000,000 keys, hot keys counted", ServerKind.SLUICE_HOT_KEYS, Way.HOT_KEYS),
    CHECK_256("sluice GET /v1/check, 256 connections", ServerKind.SLUICE, Way.CROWD),
    RAW_REDIS("a limiter on Redis, 256 in flight, no server", ServerKind.SLUICE_ON_REDIS, Way.RAW),
    ON_REDIS("sluice GET /v1/check on Redis, 256 connections", ServerKind.SLUICE_ON_REDIS, Way.REDIS);

    /** The rows of the first table: 64 requests under way, one key, 10 rules, in memory. */
    static final List<ServerRow> BESIDE_PEERS =
            List.of(NGINX_PLAIN, NGINX_LIMIT, NGINX_FILE, HAPROXY, VERTX, CHECK, FOR_NGINX, VERTX_HTTP2, RLS);

    /** The rows that should cost the same. */
    static final List<ServerRow> SCALE = List.of(CHECK, MANY_RULES, ONE_KEY, MANY_KEYS);

    /** The same server without pages that look at it, and with them. */
    static final List<ServerRow> PAGES = List.of(CHECK, WATCHED);

    /** Checks without the detector of hot keys, and with it: with one key, which is hot, and with many, of which none is. */
    static final List<ServerRow> HOT_KEYS = List.of(ONE_KEY, HOT_ONE_KEY, MANY_KEYS, HOT_MANY_KEYS);

    /** The rows whose delays at a fixed rate are measured. */
    static final List<ServerRow> PACED = List.of(NGINX_LIMIT, CHECK, RLS);

    static final List<ServerRow> REDIS = List.of(CHECK_256, ON_REDIS, RAW_REDIS);

    /** How requests are sent. */
    enum Way {
        HTTP,
        /** As HTTP, while pages of the admin port are open. */
        WATCHED,
        HTTP2,
        GRPC,
        KEYS,
        /** As KEYS, while the server counts which keys are hot. */
        HOT_KEYS,
        CROWD,
        RAW,
        REDIS
    }

    final String label;
    final ServerKind server;
    final Way way;
    final String path;
    /** What the response must contain, to show that it is the right one. */
    final String expected;
    /** The header fields of a request. */
    final List<String> fields;

    /** A check of the one rule that matches. */
    ServerRow(String label, ServerKind server, Way way) {
        this(label, server, way, "/v1/check?ip=" + RuleText.IP + "&path=" + RuleText.PATH, RuleText.POLICY);
    }

    ServerRow(String label, ServerKind server, Way way, String path, String expected, String... fields) {
        this.label = label;
        this.server = server;
        this.way = way;
        this.path = path;
        this.expected = expected;
        this.fields = List.of(fields);
    }

    boolean hasManyKeys() {
        return this == MANY_KEYS || this == HOT_MANY_KEYS;
    }
}
