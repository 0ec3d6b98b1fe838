package dev.sluice.spring;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The properties {@code sluice.*}, except the rules.
 *
 * @param enabled Whether rate limiting is on.
 * @param store Where to count: memory, or the URL of a Redis such as redis://127.0.0.1:6379. Default: the store of the rule
 *     file, else the application's own Lettuce connection if it has one, else memory.
 * @param memory How much memory of this process counters may take: a size such as 256MB, or a part of the heap such as
 *     25%. Default: what the rule file says, else 25%.
 * @param redis How to use Redis.
 * @param priorities The share of a limit, in percent, that calls of each priority class may use.
 * @param filter The filter that checks every web request against the rules.
 * @param reload Whether the application takes over changed rules while it runs.
 * @param method The limits of annotations.
 */
@ConfigurationProperties("sluice")
public record SluiceProperties(
        @DefaultValue("true") boolean enabled,
        @Nullable String store,
        @Nullable String memory,
        @DefaultValue Redis redis,
        @DefaultValue Map<String, Integer> priorities,
        @DefaultValue Filter filter,
        @DefaultValue Reload reload,
        @DefaultValue Method method) {
    private static final Map<String, Integer> PRIORITIES = Map.of("core", 100, "normal", 80, "background", 50);

    /** Has the default classes unless others are set. */
    public SluiceProperties {
        priorities = priorities.isEmpty() ? PRIORITIES : Map.copyOf(priorities);
    }

    /**
     * How Redis is used.
     *
     * @param prefix The prefix of all keys.
     * @param timeout How long to wait for a reply from Redis.
     */
    public record Redis(
            @DefaultValue("sluice") String prefix,
            @DefaultValue("50ms") Duration timeout) {}

    /**
     * The filter that checks every web request against the rules.
     *
     * @param enabled Whether the filter is installed.
     * @param order The order of the filter, by default before Spring Security. Rules that need the user are always checked
     *     right after Spring Security.
     * @param exclude Path patterns that are not checked, such as /actuator/**.
     * @param underWay How many requests may be under way at once for a key of a rule with a condition on the status.
     * @param underWayWait How long another request waits until one of them has ended.
     */
    public record Filter(
            @DefaultValue("true") boolean enabled,
            @DefaultValue("-110") int order,
            @DefaultValue List<String> exclude,
            @DefaultValue("10") int underWay,
            @DefaultValue("5s") Duration underWayWait) {}

    /**
     * How the application takes over changed rules while it runs.
     *
     * @param enabled Whether changed rules are taken over: those of the file that sluice.rules names, and with Spring Cloud
     *     those of properties that are refreshed.
     * @param interval How often to look at the file. A change is taken over when two looks in a row see the same.
     */
    public record Reload(
            @DefaultValue("true") boolean enabled,
            @DefaultValue("1s") Duration interval) {
        /** Refuses an interval in which nothing else could be done. */
        public Reload {
            if (interval.compareTo(MIN_INTERVAL) < 0) {
                throw new IllegalArgumentException("sluice.reload.interval must be 10ms or more, was " + interval
                        + "; to turn it off say " + "sluice.reload.enabled: false");
            }
        }

        private static final Duration MIN_INTERVAL = Duration.ofMillis(10);
    }

    /**
     * The limits of annotations.
     *
     * @param order The order of the limits among the other advice of a bean. Default: right inside that of Spring Security
     *     and of caches, outside of all other.
     */
    public record Method(@Nullable Integer order) {}
}
