package dev.sluice.server.envoy;

import dev.sluice.OnFailure;
import dev.sluice.Store;
import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Decides as envoyproxy/ratelimit does with the same files: fixed windows since 1970, every descriptor charged whatever
 * the others come to, hits past the limit counted too.
 */
public final class EnvoyLimits implements Limits {
    private final Store store;
    private final OnFailure onFailure;
    private final Windows windows;
    private final Overrides overrides;
    private volatile InForce inForce;
    private volatile @Nullable RateLimitListener listener;

    /** The limits of {@code config} on {@code store}. */
    public EnvoyLimits(Store store, OnFailure onFailure, EnvoyConfig config) {
        this(store, onFailure, config, () -> TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis()));
    }

    EnvoyLimits(Store store, OnFailure onFailure, EnvoyConfig config, LongSupplier wallMicros) {
        this.store = store;
        this.onFailure = onFailure;
        this.windows = new Windows(wallMicros);
        this.overrides = new Overrides(store, onFailure, windows);
        this.inForce = new InForce(config);
    }

    /** Puts another configuration in force. What has been counted stays counted where the unit is the same. */
    public void apply(EnvoyConfig config) {
        inForce = new InForce(config);
    }

    /** The configuration in force. */
    public EnvoyConfig config() {
        return inForce.config;
    }

    /** Who is told of every descriptor under a limit. */
    public void listener(RateLimitListener listener) {
        this.listener = listener;
    }

    @Override
    public CompletableFuture<RateLimitResponse> decide(RateLimitRequest request) {
        InForce now = inForce;
        List<@Nullable Match> matches = matches(now.config, request);
        List<CompletableFuture<Ruled>> ruled = new ArrayList<>(matches.size());
        for (int i = 0; i < matches.size(); i++) {
            ruled.add(decide(now, request, request.getDescriptors(i), matches.get(i)));
        }
        return All.of(ruled).thenApply(done -> Answer.of(request, done));
    }

    /** The limit of each descriptor, without those that another replaces. */
    private static List<@Nullable Match> matches(EnvoyConfig config, RateLimitRequest request) {
        List<@Nullable Match> matches = new ArrayList<>(request.getDescriptorsCount());
        Set<String> replaced = Collections.emptySet();
        for (RateLimitDescriptor descriptor : request.getDescriptorsList()) {
            Match match = descriptor.hasLimit() ? null : config.find(request.getDomain(), descriptor);
            matches.add(match);
            if (match != null && !match.quota().replaces().isEmpty()) {
                replaced = replaced.isEmpty() ? new HashSet<>() : replaced;
                replaced.addAll(match.quota().replaces());
            }
        }
        Set<String> names = replaced;
        if (!names.isEmpty()) {
            matches.replaceAll(match -> match != null
                            && !match.quota().unlimited()
                            && names.contains(match.quota().name())
                    ? null
                    : match);
        }
        return matches;
    }

    private CompletableFuture<Ruled> decide(
            InForce now, RateLimitRequest request, RateLimitDescriptor descriptor, @Nullable Match match) {
        long hits = Hits.of(request, descriptor);
        if (descriptor.hasLimit() && now.config.domains().contains(request.getDomain())) {
            return overrides.decide(request.getDomain(), descriptor, hits);
        }
        if (match == null) {
            return CompletableFuture.completedFuture(Ruled.FREE);
        }
        Quota quota = match.quota();
        Unit unit = quota.unit();
        if (unit == null) {
            tell(match, hits, Ruled.UNLIMITED);
            return CompletableFuture.completedFuture(Ruled.UNLIMITED);
        }
        return now.counter(quota, unit).count(match.key(), hits).thenApply(standing -> {
            Ruled ruled = windows.ruled(quota, unit, standing);
            tell(match, hits, ruled);
            return ruled;
        });
    }

    private void tell(Match match, long hits, Ruled ruled) {
        RateLimitListener told = listener;
        if (told != null) {
            told.decided(match.metric(), hits, result(ruled));
        }
    }

    private static RateLimitListener.Result result(Ruled ruled) {
        if (!ruled.over()) {
            return RateLimitListener.Result.WITHIN_LIMIT;
        }
        return ruled.passed() ? RateLimitListener.Result.SHADOWED : RateLimitListener.Result.OVER_LIMIT;
    }

    /** A configuration, and the counters that have been needed since it came into force. */
    private final class InForce {
        private final EnvoyConfig config;
        private final ConcurrentHashMap<String, WindowCounter> counters = new ConcurrentHashMap<>();

        InForce(EnvoyConfig config) {
            this.config = config;
        }

        WindowCounter counter(Quota quota, Unit unit) {
            WindowCounter counter = counters.get(quota.identity());
            return counter != null
                    ? counter
                    : counters.computeIfAbsent(
                            quota.identity(),
                            name -> WindowCounter.upTo(quota.requestsPerUnit(), unit, name, store, onFailure));
        }
    }
}
