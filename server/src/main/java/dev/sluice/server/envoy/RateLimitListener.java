package dev.sluice.server.envoy;

/** Hears of every descriptor that a limit of an Envoy configuration applied to. */
@FunctionalInterface
public interface RateLimitListener {
    /**
     * One descriptor was counted.
     *
     * @param metric the name that envoyproxy/ratelimit gives it, such as {@code mongo_cps.database_users}
     * @param hits how many hits it added
     * @param result whether it was within the limit
     */
    void decided(String metric, long hits, Result result);

    /** Whether a descriptor was within its limit. */
    enum Result {
        WITHIN_LIMIT,
        OVER_LIMIT,
        /** Over a limit in {@code shadow_mode}. */
        SHADOWED
    }
}
