package dev.sluice.bench.server;

import java.util.List;

/**
 * A server that is measured, each in a process of its own.
 *
 * <p>Sluice is there several times, since a JVM is compiled for the requests it has served: one that speaks HTTP/1 and
 * HTTP/2 by turns, as none in service does, would be measured while it is compiled anew.
 */
enum ServerKind {
    NGINX("nginx"),
    HAPROXY("HAProxy"),
    VERTX("Vert.x, a trivial reply"),
    VERTX_HTTP2("Vert.x, a trivial reply over HTTP/2"),
    SLUICE("sluice, 10 rules"),
    SLUICE_FOR_NGINX("sluice, for nginx"),
    SLUICE_FOR_ENVOY("sluice, for Envoys"),
    SLUICE_MANY_RULES("sluice, many rules"),
    SLUICE_MANY_KEYS("sluice, many keys"),
    /** Of its own: a server goes on counting hot keys for a while after it was last asked for them. */
    SLUICE_HOT_KEYS("sluice, hot keys counted"),
    SLUICE_ON_REDIS("sluice, on Redis");

    /** Those whose start and idle memory are measured. */
    static final List<ServerKind> STARTED = List.of(NGINX, HAPROXY, VERTX, SLUICE);

    final String label;

    ServerKind(String label) {
        this.label = label;
    }

    boolean isJvm() {
        return this != NGINX && this != HAPROXY;
    }

    /** A path that it answers with success. */
    String path() {
        return switch (this) {
            case NGINX -> ServerRow.NGINX_LIMIT.path;
            case HAPROXY, VERTX, VERTX_HTTP2 -> ServerRow.VERTX.path;
            default -> ServerRow.CHECK.path;
        };
    }
}
