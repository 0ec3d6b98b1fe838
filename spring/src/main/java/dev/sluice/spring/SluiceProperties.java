package dev.sluice.spring;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * What {@code sluice.*} says, but for the rules.
 *
 * @param enabled Whether anything is limited at all.
 * @param store Where to count: memory, or the URL of a Redis such as redis://127.0.0.1:6379. Default: what the rule file
 *     says, else the application's own connection through Lettuce if it has one, else memory.
 * @param redis How to use Redis.
 * @param priorities Which share of a limit, in percent, calls of a class may use whose annotation names it.
 * @param filter The filter that asks the rules about every web request.
 */
@ConfigurationProperties("sluice")
public record SluiceProperties(
        @DefaultValue("true") boolean enabled,
        @Nullable String store,
        @DefaultValue Redis redis,
        @DefaultValue Map<String, Integer> priorities,
        @DefaultValue Filter filter) {
    private static final Map<String, Integer> PRIORITIES = Map.of("core", 100, "normal", 80, "background", 50);

    /** The usual classes, unless others are named. */
    public SluiceProperties {
        priorities = priorities.isEmpty() ? PRIORITIES : Map.copyOf(priorities);
    }

    /**
     * How Redis is used.
     *
     * @param prefix What the names of all keys begin with.
     * @param timeout How long Redis has for an answer.
     */
    public record Redis(
            @DefaultValue("sluice") String prefix,
            @DefaultValue("50ms") Duration timeout) {}

    /**
     * The filter that asks the rules about every web request.
     *
     * @param enabled Whether there is one.
     * @param order Its place among the filters; by default ahead of Spring Security. Rules that need the user are asked
     *     right behind Spring Security.
     * @param exclude Paths that are let through unasked, such as /actuator/**.
     */
    public record Filter(
            @DefaultValue("true") boolean enabled,
            @DefaultValue("-110") int order,
            @DefaultValue List<String> exclude) {}
}
