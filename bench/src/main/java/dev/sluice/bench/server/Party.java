package dev.sluice.bench.server;

import java.util.List;

/**
 * Who answers.
 *
 * <p>Sluice is there several times, since a JVM is compiled for what it has been asked: one that speaks HTTP/1 and HTTP/2
 * by turns, as none in service does, would be measured while it is compiled anew.
 */
enum Party {
    NGINX("nginx"),
    HAPROXY("HAProxy"),
    VERTX("Vert.x, a trivial reply"),
    VERTX_HTTP2("Vert.x, a trivial reply over HTTP/2"),
    SLUICE("sluice, 10 rules"),
    SLUICE_FOR_NGINX("sluice, for nginx"),
    SLUICE_FOR_ENVOY("sluice, for Envoys"),
    SLUICE_MANY_RULES("sluice, many rules"),
    SLUICE_MANY_KEYS("sluice, many keys"),
    SLUICE_ON_REDIS("sluice, on Redis");

    /** Those whose start and idle memory are looked at. */
    static final List<Party> STARTED = List.of(NGINX, HAPROXY, VERTX, SLUICE);

    final String label;

    Party(String label) {
        this.label = label;
    }
}
