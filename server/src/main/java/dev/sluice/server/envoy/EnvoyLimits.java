package dev.sluice.server.envoy;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.OnFailure;
import dev.sluice.Store;
import dev.sluice.server.envoy.file.DescriptorLimit;
import dev.sluice.server.envoy.file.EnvoyConfig;
import dev.sluice.server.envoy.file.EnvoyUnit;
import dev.sluice.server.envoy.file.MatchedLimit;
import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Decides as envoyproxy/ratelimit does with the same files: in fixed windows aligned to 1970, with every descriptor
 * charged whatever the result of the others is, and with hits past the limit counted too.
 */
public final class EnvoyLimits implements RateLimitService.Decider {
    private static final WindowCounter.Usage UNLIMITED_USAGE =
            new WindowCounter.Usage(0, 0, 0, Decision.Source.LOCAL, () -> {});

    private final WindowCounter.Factory windows;
    private final LimitOverrides overrides;
    private volatile ActiveConfig active;
    private volatile RateLimitListener listener = RateLimitListener.NONE;

    /** The limits of {@code config} on {@code store}. */
    public EnvoyLimits(Store store, OnFailure onFailure, EnvoyConfig config) {
        this(new WindowCounter.Factory(store, onFailure), config);
    }

    EnvoyLimits(Store store, OnFailure onFailure, EnvoyConfig config, LongSupplier wallMicros) {
        this(new WindowCounter.Factory(store, onFailure, wallMicros), config);
    }

    private EnvoyLimits(WindowCounter.Factory windows, EnvoyConfig config) {
        this.windows = windows;
        this.overrides = new LimitOverrides(windows);
        this.active = new ActiveConfig(config);
    }

    /** Replaces the configuration. Hits that were counted stay counted where the unit of their limit is the same. */
    public void apply(EnvoyConfig config) {
        active = new ActiveConfig(config);
    }

    /** The configuration in force. */
    public EnvoyConfig config() {
        return active.config;
    }

    /** Sets the listener, which hears of every descriptor. */
    public void listener(RateLimitListener listener) {
        this.listener = listener;
        overrides.listener(listener);
    }

    @Override
    public CompletableFuture<RateLimitService.Decided> decide(RateLimitRequest request) {
        ActiveConfig config = active;
        List<@Nullable MatchedLimit> matches = matches(config.config, request);
        List<CompletableFuture<CountedResult>> counts = new ArrayList<>(matches.size());
        for (int i = 0; i < matches.size(); i++) {
            counts.add(decide(config, request, request.getDescriptors(i), matches.get(i)));
        }
        CompletableFuture<List<CountedResult>> all =
                RateLimitService.allOrNone(counts, each -> each.uncount().run());
        return RateLimitService.cancellable(all.thenApply(EnvoyLimits::decided), () -> {});
    }

    private static RateLimitService.Decided decided(List<CountedResult> counted) {
        List<DescriptorResult> results = new ArrayList<>(counted.size());
        for (int i = 0; i < counted.size(); i++) {
            results.add(counted.get(i).result());
        }
        return new RateLimitService.Decided(
                results, () -> counted.forEach(each -> each.uncount().run()), false);
    }

    /** The limit of each descriptor, without those that another replaces. */
    private static List<@Nullable MatchedLimit> matches(EnvoyConfig config, RateLimitRequest request) {
        List<@Nullable MatchedLimit> matches = new ArrayList<>(request.getDescriptorsCount());
        Set<String> replaced = Collections.emptySet();
        for (RateLimitDescriptor descriptor : request.getDescriptorsList()) {
            MatchedLimit match = descriptor.hasLimit() ? null : config.find(request.getDomain(), descriptor);
            matches.add(match);
            if (match != null && !match.limit().replaces().isEmpty()) {
                replaced = replaced.isEmpty() ? new HashSet<>() : replaced;
                replaced.addAll(match.limit().replaces());
            }
        }
        Set<String> names = replaced;
        if (!names.isEmpty()) {
            matches.replaceAll(match -> match != null
                            && !match.limit().unlimited()
                            && names.contains(match.limit().name())
                    ? null
                    : match);
        }
        return matches;
    }

    private CompletableFuture<CountedResult> decide(
            ActiveConfig config,
            RateLimitRequest request,
            RateLimitDescriptor descriptor,
            @Nullable MatchedLimit match) {
        long hits = Descriptors.hits(request, descriptor);
        if (descriptor.hasLimit() && config.config.domains().contains(request.getDomain())) {
            return overrides.decide(request.getDomain(), descriptor, hits);
        }
        if (match == null) {
            listener.unmatched();
            return CompletableFuture.completedFuture(CountedResult.uncounted(DescriptorResult.NO_LIMIT));
        }
        DescriptorLimit limit = match.limit();
        EnvoyUnit unit = limit.unit();
        if (unit == null) {
            notify(match, hits, UNLIMITED_USAGE, Limit.MAX_PERMITS);
            return CompletableFuture.completedFuture(CountedResult.uncounted(DescriptorResult.UNLIMITED));
        }
        return config.counter(limit, unit).count(match.key(), hits).thenApply(usage -> {
            notify(match, hits, usage, limit.requestsPerUnit());
            return new CountedResult(
                    DescriptorResult.of(limit, unit, usage).by(limit.path().name(), usage.source()), usage.uncount());
        });
    }

    private void notify(MatchedLimit match, long hits, WindowCounter.Usage usage, long limit) {
        if (hits > 0) {
            listener.counted(new DescriptorHits(
                    match.limit().path(),
                    match.detailedPath(),
                    match.key(),
                    hits,
                    usage.before(),
                    limit,
                    match.limit().mode() == DescriptorLimit.Mode.SHADOW
                            ? DescriptorHits.Mode.SHADOW
                            : DescriptorHits.Mode.ENFORCED,
                    usage.source(),
                    usage.endsInMicros()));
        }
    }

    /** A configuration, and the counters that requests have needed since it came into force. */
    private final class ActiveConfig {
        private final EnvoyConfig config;
        private final ConcurrentHashMap<String, WindowCounter> counters = new ConcurrentHashMap<>();

        ActiveConfig(EnvoyConfig config) {
            this.config = config;
        }

        WindowCounter counter(DescriptorLimit limit, EnvoyUnit unit) {
            WindowCounter counter = counters.get(limit.identity());
            return counter != null
                    ? counter
                    : counters.computeIfAbsent(
                            limit.identity(), name -> windows.upTo(limit.requestsPerUnit(), unit, name));
        }
    }
}
