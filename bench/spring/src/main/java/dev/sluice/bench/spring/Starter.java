package dev.sluice.bench.spring;

import java.util.ArrayList;
import java.util.List;

/** The starter whose limiter the application has. */
enum Starter {
    NONE("", ""),
    SLUICE("dev.sluice.", """
            sluice.rules[0].name=by-address
            sluice.rules[0].when.path=/filtered
            sluice.rules[0].key[0]=ip
            sluice.rules[0].limits[0]=${bench.limit} per 1h token-bucket
            """),
    BUCKET4J("com.giffing.", """
            bucket4j.filters[0].cache-name=buckets
            bucket4j.filters[0].url=/filtered
            bucket4j.filters[0].rate-limits[0].cache-key=getRemoteAddr()
            bucket4j.filters[0].rate-limits[0].bandwidths[0].capacity=${bench.limit}
            bucket4j.filters[0].rate-limits[0].bandwidths[0].time=1
            bucket4j.filters[0].rate-limits[0].bandwidths[0].unit=hours
            bucket4j.methods[0].name=annotated
            bucket4j.methods[0].cache-name=buckets
            bucket4j.methods[0].rate-limit.bandwidths[0].capacity=${bench.limit}
            bucket4j.methods[0].rate-limit.bandwidths[0].time=1
            bucket4j.methods[0].rate-limit.bandwidths[0].unit=hours
            spring.cache.cache-names=buckets
            spring.cache.jcache.provider=com.github.benmanes.caffeine.jcache.spi.CaffeineCachingProvider
            """),
    RESILIENCE4J("io.github.resilience4j.", """
            resilience4j.ratelimiter.instances.annotated.limit-for-period=${bench.limit}
            resilience4j.ratelimiter.instances.annotated.limit-refresh-period=1h
            resilience4j.ratelimiter.instances.annotated.timeout-duration=0
            """);

    private final String packages;
    private final String properties;

    Starter(String packages, String properties) {
        this.packages = packages;
        this.properties = properties;
    }

    /** Whether a configuration class is another starter's, and so must not be in this one's application. */
    boolean excludes(String configuration) {
        for (Starter starter : values()) {
            if (starter != this && starter != NONE && configuration.startsWith(starter.packages)) {
                return true;
            }
        }
        return false;
    }

    /** As arguments of a command line. {@code limit}: how many calls are allowed in an hour. */
    List<String> arguments(long limit) {
        List<String> arguments = new ArrayList<>(List.of("--bench.limit=" + limit));
        properties.lines().forEach(property -> arguments.add("--" + property));
        return arguments;
    }
}
