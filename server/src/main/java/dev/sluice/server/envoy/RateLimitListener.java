package dev.sluice.server.envoy;

/** Told of every descriptor that was under a limit of an Envoy configuration. */
@FunctionalInterface
public interface RateLimitListener {
    /**
     * One descriptor was counted.
     *
     * @param metric the name that envoyproxy/ratelimit gives it, such as {@code mongo_cps.database_users}
     * @param hits how many hits it added
     * @param result what came of it
     */
    void decided(String metric, long hits, Result result);

    /** What came of a descriptor. */
    enum Result {
        WITHIN_LIMIT,
        OVER_LIMIT,
        /** Over a limit in {@code shadow_mode}. */
        SHADOWED
    }
}
