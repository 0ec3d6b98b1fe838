package dev.sluice.bench.server;

import java.util.List;

/** Who answers. */
enum Party {
    NGINX("nginx"),
    HAPROXY("HAProxy"),
    VERTX("Vert.x, a trivial reply"),
    SLUICE("sluice, 10 rules"),
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
