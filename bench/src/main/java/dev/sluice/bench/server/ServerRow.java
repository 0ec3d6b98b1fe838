package dev.sluice.bench.server;

import java.util.List;

/** A kind of request to one of the servers, in the order of the tables. */
enum ServerRow {
    NGINX_PLAIN("nginx, return 200", ServerKind.NGINX, Way.HTTP),
    NGINX_LIMIT("nginx, limit_req", ServerKind.NGINX, Way.HTTP),
    NGINX_FILE("nginx, limit_req, a file", ServerKind.NGINX, Way.HTTP),
    HAPROXY("HAProxy, stick table", ServerKind.HAPROXY, Way.HTTP),
    VERTX("Vert.x, a trivial reply", ServerKind.VERTX, Way.HTTP),
    VERTX_HTTP2("Vert.x, a trivial reply over HTTP/2", ServerKind.VERTX_HTTP2, Way.HTTP2),
    CHECK("sluice GET /v1/check", ServerKind.SLUICE, Way.HTTP),
    FOR_NGINX("sluice GET /nginx", ServerKind.SLUICE_FOR_NGINX, Way.HTTP),
    RLS("sluice RLS over gRPC", ServerKind.SLUICE_FOR_ENVOY, Way.GRPC),
    MANY_RULES("sluice GET /v1/check, 10,000 rules", ServerKind.SLUICE_MANY_RULES, Way.HTTP),
    ONE_KEY("sluice GET /v1/check, 1 key", ServerKind.SLUICE, Way.KEYS),
    MANY_KEYS("sluice GET /v1/check, 1,000,000 keys", ServerKind.SLUICE_MANY_KEYS, Way.KEYS),
    RAW_REDIS("a limiter on Redis, 256 in flight, no server", ServerKind.SLUICE_ON_REDIS, Way.RAW),
    ON_REDIS("sluice GET /v1/check on Redis, 256 connections", ServerKind.SLUICE_ON_REDIS, Way.REDIS);

    /** Those that share one table: 64 requests under way, one key, 10 rules, in memory. */
    static final List<ServerRow> BESIDE_PEERS =
            List.of(NGINX_PLAIN, NGINX_LIMIT, NGINX_FILE, HAPROXY, VERTX, CHECK, FOR_NGINX, VERTX_HTTP2, RLS);

    /** Those that should cost the same. */
    static final List<ServerRow> SCALE = List.of(CHECK, MANY_RULES, ONE_KEY, MANY_KEYS);

    /** Those whose delays at a fixed rate are measured. */
    static final List<ServerRow> PACED = List.of(NGINX_LIMIT, CHECK, RLS);

    static final List<ServerRow> REDIS = List.of(RAW_REDIS, ON_REDIS);

    /** How requests are sent. */
    enum Way {
        HTTP,
        HTTP2,
        GRPC,
        KEYS,
        RAW,
        REDIS
    }

    final String label;
    final ServerKind server;
    final Way way;

    ServerRow(String label, ServerKind server, Way way) {
        this.label = label;
        this.server = server;
        this.way = way;
    }

    /** The path of a request. */
    String path() {
        return switch (this) {
            case NGINX_PLAIN -> "/plain";
            case NGINX_LIMIT -> "/limited";
            case NGINX_FILE -> "/file";
            case HAPROXY, VERTX, VERTX_HTTP2 -> "/";
            case FOR_NGINX -> "/nginx";
            case RLS -> "/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit";
            default -> "/v1/check?ip=" + RuleText.IP + "&path=" + RuleText.PATH;
        };
    }

    /** The header fields of a request. */
    List<String> fields() {
        return switch (this) {
            case FOR_NGINX ->
                List.of(
                        "X-Original-URI: " + RuleText.PATH,
                        "X-Original-Method: GET",
                        "X-Original-Host: localhost",
                        "X-Real-IP: " + RuleText.IP);
            case RLS -> List.of("Content-Type: application/grpc", "TE: trailers");
            default -> List.of();
        };
    }

    /** What the response must contain, to show that it is the right one. */
    String expected() {
        return switch (this) {
            case NGINX_PLAIN, NGINX_FILE, HAPROXY, VERTX, VERTX_HTTP2 -> "ok";
            case NGINX_LIMIT -> "image/gif";
            default -> "RateLimit-Policy: \"" + RuleText.RULE + "\"";
        };
    }
}
