package dev.sluice.server.metrics;

import dev.sluice.server.envoy.DescriptorHits;
import dev.sluice.server.envoy.file.LimitPath;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;

/**
 * Counts the hits of each limit for Envoy, under the names that envoyproxy/ratelimit has for them.
 *
 * <p>How the number of series is bounded: the limits of the files have theirs, up to {@code max} of them; the others
 * count as {@code other}. Where a file asks for the values of requests in the name, or requests bring their own limits,
 * clients choose names. There are as many of those again, and the hits beyond them count for the limit of the file. So
 * no client can take the series of a limit away.
 */
final class DescriptorCounters {
    private static final int MAX_NAME = 256;
    private static final LimitPath OTHER = new LimitPath(RuleCounters.OTHER, RuleCounters.OTHER);

    private final int max;
    private final Counts other = new Counts();
    private final ConcurrentHashMap<LimitPath, Counts> ofFiles = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<LimitPath, Counts> ofRequests = new ConcurrentHashMap<>();

    private static final class Counts {
        final LongAdder totalHits = new LongAdder();
        final LongAdder overLimit = new LongAdder();
        final LongAdder nearLimit = new LongAdder();
        final LongAdder withinLimit = new LongAdder();
        final LongAdder overLimitWithLocalCache = new LongAdder();
        final LongAdder shadowMode = new LongAdder();

        void add(DescriptorHits hits) {
            totalHits.add(hits.hits());
            overLimit.add(hits.overLimit());
            nearLimit.add(hits.nearLimit());
            withinLimit.add(hits.withinLimit());
            overLimitWithLocalCache.add(hits.overLimitWithLocalCache());
            shadowMode.add(hits.shadowMode());
        }
    }

    /** At most {@code max} limits of files, and as many names that clients choose. */
    DescriptorCounters(int max) {
        this.max = max;
    }

    /** Sets the limits of the files. One that stays keeps its counts; the counts of the others are lost. */
    void limits(Collection<LimitPath> limits) {
        Set<LimitPath> kept = new LinkedHashSet<>();
        limits.stream().limit(max).forEach(kept::add);
        ofFiles.keySet().retainAll(kept);
        kept.forEach(limit -> ofFiles.computeIfAbsent(limit, made -> new Counts()));
        ofRequests.clear();
    }

    void count(DescriptorHits hits) {
        of(hits).add(hits);
    }

    private Counts of(DescriptorHits hits) {
        LimitPath path = hits.path();
        LimitPath detailed = hits.detailed().equals(path.descriptor())
                ? path
                : new LimitPath(path.domain(), shortened(hits.detailed()));
        Counts counts = ofFiles.get(detailed);
        if (counts == null) {
            counts = ofRequests.get(detailed);
        }
        if (counts == null && ofRequests.size() < max) {
            counts = ofRequests.computeIfAbsent(detailed, made -> new Counts());
        }
        if (counts == null) {
            counts = ofFiles.get(path);
        }
        return counts == null ? other : counts;
    }

    private static String shortened(String name) {
        return name.length() > MAX_NAME ? name.substring(0, MAX_NAME) : name;
    }

    /** All counters, of the names that have any. */
    MetricSnapshots snapshots() {
        return MetricSnapshots.of(
                snapshot("hits", "Hits of descriptors that a limit applies to.", counts -> counts.totalHits),
                snapshot("over_limit", "Hits past the limit.", counts -> counts.overLimit),
                snapshot("near_limit", "Hits within the limit and past 80 % of it.", counts -> counts.nearLimit),
                snapshot("within_limit", "Hits of descriptors within their limit.", counts -> counts.withinLimit),
                snapshot(
                        "over_limit_with_local_cache",
                        "Hits past the limit, without asking Redis.",
                        counts -> counts.overLimitWithLocalCache),
                snapshot("shadow_mode", "Hits past a limit in shadow mode.", counts -> counts.shadowMode));
    }

    private CounterSnapshot snapshot(String name, String help, Function<Counts, LongAdder> counter) {
        CounterSnapshot.Builder builder =
                CounterSnapshot.builder().name("sluice_descriptor_" + name).help(help);
        all().forEach((limit, counts) -> builder.dataPoint(CounterDataPointSnapshot.builder()
                .labels(Labels.of("domain", limit.domain(), "descriptor", limit.descriptor()))
                .value((double) counter.apply(counts).sum())
                .build()));
        return builder.build();
    }

    /** Each name once, also while the files change. */
    private Map<LimitPath, Counts> all() {
        Map<LimitPath, Counts> all = new LinkedHashMap<>(ofRequests);
        all.putAll(ofFiles);
        if (other.totalHits.sum() > 0) {
            all.putIfAbsent(OTHER, other);
        }
        return all;
    }
}
