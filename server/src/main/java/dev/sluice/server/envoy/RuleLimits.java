package dev.sluice.server.envoy;

import com.google.protobuf.Struct;
import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.OnFailure;
import dev.sluice.Store;
import dev.sluice.rules.Request;
import dev.sluice.rules.RuleDecision;
import dev.sluice.rules.RuleEngine;
import dev.sluice.rules.Verdict;
import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Decides by rules, each descriptor as one request. When one descriptor is over a limit, what the others took is given
 * back: a denied request takes nothing.
 */
final class RuleLimits implements Limits {
    private final RuleEngine engine;
    private final Overrides overrides;

    RuleLimits(RuleEngine engine, Store store, OnFailure onFailure) {
        this.engine = engine;
        this.overrides = new Overrides(
                store, onFailure, new Windows(() -> TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis())));
    }

    /** What a descriptor comes to, and what was taken for it. */
    private record Part(Ruled ruled, @Nullable Verdict taken) {}

    @Override
    public CompletableFuture<RateLimitResponse> decide(RateLimitRequest request) {
        List<Request> asked = new ArrayList<>(request.getDescriptorsCount());
        for (int i = 0; i < request.getDescriptorsCount(); i++) {
            asked.add(Descriptors.request(request, i));
        }
        List<CompletableFuture<Part>> parts = new ArrayList<>(asked.size());
        for (int i = 0; i < asked.size(); i++) {
            parts.add(decide(request, request.getDescriptors(i), asked.get(i)));
        }
        return All.of(parts).thenCompose(done -> settled(request, done));
    }

    private CompletableFuture<Part> decide(RateLimitRequest whole, RateLimitDescriptor descriptor, Request request) {
        long hits = Hits.of(whole, descriptor);
        if (descriptor.hasLimit()) {
            return overrides.decide(whole.getDomain(), descriptor, hits).thenApply(ruled -> new Part(ruled, null));
        }
        return hits == 0
                ? engine.peek(request).thenApply(verdict -> new Part(ruled(verdict, Taken.NOT), null))
                : engine.check(request).thenApply(verdict -> new Part(ruled(verdict, Taken.YES), verdict));
    }

    private CompletableFuture<RateLimitResponse> settled(RateLimitRequest request, List<Part> parts) {
        List<Ruled> ruled = new ArrayList<>(parts.size());
        List<CompletableFuture<Void>> given = new ArrayList<>();
        boolean denied = parts.stream().anyMatch(part -> part.ruled().denies());
        for (Part part : parts) {
            Verdict taken = part.taken();
            if (denied && taken != null && taken.allowed()) {
                given.add(engine.refund(taken));
                ruled.add(ruled(taken, Taken.NOT));
            } else {
                ruled.add(part.ruled());
            }
        }
        return given.isEmpty()
                ? CompletableFuture.completedFuture(Answer.of(request, ruled))
                : All.of(given).thenApply(done -> Answer.of(request, ruled));
    }

    /** Whether what a verdict allows has been taken, or remains. */
    private enum Taken {
        YES,
        NOT
    }

    private static Ruled ruled(Verdict verdict, Taken taken) {
        RuleDecision ruling = verdict.decisive();
        if (ruling == null) {
            return Ruled.FREE;
        }
        int tightest = tightest(ruling.decision().perLimit());
        Decision decision = ruling.decision().perLimit().get(tightest);
        List<Limit> limits = ruling.limiter().limits();
        Limit limit = limits.get(Math.min(tightest, limits.size() - 1));
        long left = taken == Taken.NOT && verdict.allowed() ? decision.permits() : 0;
        long remaining = Math.min(decision.limit(), decision.remaining() + left);
        return Ruled.of(
                Quota.message(ruling.rule().name(), Periods.permits(limit), Unit.lasting(Periods.of(limit))),
                seconds(Periods.of(limit)),
                Quota.Mode.ENFORCED,
                !verdict.allowed(),
                remaining,
                decision.resetAfterMicros(),
                decision.retryAfterMicros(),
                Struct.getDefaultInstance());
    }

    /** The one that denies for longest, else the one with the least left. */
    private static int tightest(List<Decision> each) {
        int tightest = 0;
        for (int i = 1; i < each.size(); i++) {
            Decision one = each.get(i);
            Decision other = each.get(tightest);
            if (one.retryAfterMicros() != other.retryAfterMicros()
                    ? one.retryAfterMicros() > other.retryAfterMicros()
                    : one.remaining() < other.remaining()) {
                tightest = i;
            }
        }
        return tightest;
    }

    /** Whole seconds, or none. */
    private static long seconds(Duration period) {
        return period.getNano() == 0 ? period.getSeconds() : 0;
    }
}
