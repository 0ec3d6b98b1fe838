package dev.sluice.server.envoy;

import com.google.protobuf.Struct;
import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.rules.Request;
import dev.sluice.rules.RuleDecision;
import dev.sluice.rules.RuleEngine;
import dev.sluice.rules.Verdict;
import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Decides by rules, each descriptor as one request. When one descriptor is over a limit, the permits of the others are
 * refunded: a denied request takes nothing.
 */
final class RuleLimits implements RateLimitService.Decider {
    private final RuleEngine engine;
    private final LimitOverrides overrides;

    RuleLimits(RuleEngine engine, WindowCounter.Factory windows) {
        this.engine = engine;
        this.overrides = new LimitOverrides(windows);
    }

    /** Sets the listener, which hears of the descriptors that bring a limit along; the rules have listeners of their own. */
    void listener(RateLimitListener listener) {
        overrides.listener(listener);
    }

    /** The result for a descriptor, and the verdict that took permits for it. */
    private record Charge(DescriptorResult result, @Nullable Verdict verdict) {}

    @Override
    public CompletableFuture<List<DescriptorResult>> results(RateLimitRequest request) {
        List<Request> requests = new ArrayList<>(request.getDescriptorsCount());
        for (int i = 0; i < request.getDescriptorsCount(); i++) {
            requests.add(Descriptors.request(request, i));
        }
        List<CompletableFuture<Charge>> charges = new ArrayList<>(requests.size());
        for (int i = 0; i < requests.size(); i++) {
            charges.add(decide(request, request.getDescriptors(i), requests.get(i)));
        }
        return RateLimitService.all(charges).thenCompose(this::settle);
    }

    private CompletableFuture<Charge> decide(RateLimitRequest whole, RateLimitDescriptor descriptor, Request request) {
        long hits = Descriptors.hits(whole, descriptor);
        if (descriptor.hasLimit()) {
            return overrides.decide(whole.getDomain(), descriptor, hits).thenApply(result -> new Charge(result, null));
        }
        return hits == 0
                ? engine.peek(request).thenApply(verdict -> new Charge(result(verdict, Taken.NO), null))
                : engine.check(request).thenApply(verdict -> new Charge(result(verdict, Taken.YES), verdict));
    }

    private CompletableFuture<List<DescriptorResult>> settle(List<Charge> charges) {
        List<DescriptorResult> results = new ArrayList<>(charges.size());
        List<CompletableFuture<Void>> refunds = new ArrayList<>();
        boolean denied = charges.stream().anyMatch(charge -> charge.result().denies());
        for (Charge charge : charges) {
            Verdict verdict = charge.verdict();
            if (denied && verdict != null && verdict.allowed()) {
                refunds.add(engine.refund(verdict));
                results.add(result(verdict, Taken.NO));
            } else {
                results.add(charge.result());
            }
        }
        return refunds.isEmpty()
                ? CompletableFuture.completedFuture(results)
                : RateLimitService.all(refunds).thenApply(done -> results);
    }

    /** Whether the permits that a verdict allows are taken. */
    private enum Taken {
        YES,
        NO
    }

    private static DescriptorResult result(Verdict verdict, Taken taken) {
        RuleDecision decisive = verdict.decisive();
        if (decisive == null) {
            return DescriptorResult.NO_LIMIT;
        }
        int tightest = tightest(decisive.decision().perLimit());
        Decision decision = decisive.decision().perLimit().get(tightest);
        List<Limit> limits = decisive.limiter().limits();
        Limit limit = limits.get(Math.min(tightest, limits.size() - 1));
        long untaken = taken == Taken.NO && verdict.allowed() ? decision.permits() : 0;
        long remaining = Math.min(decision.limit(), decision.remaining() + untaken);
        Duration period = Objects.requireNonNullElse(limit.period(), Duration.ZERO);
        DescriptorResult result = DescriptorResult.of(
                DescriptorLimit.message(decisive.rule().name(), limit.permits(), EnvoyUnit.lasting(period)),
                period.getNano() == 0 ? period.getSeconds() : 0,
                DescriptorLimit.Mode.ENFORCED,
                !verdict.allowed(),
                remaining,
                decision.resetAfterMicros(),
                decision.retryAfterMicros(),
                Struct.getDefaultInstance());
        return result.by(decisive.rule().name(), decision.source());
    }

    /** The one that denies for longest, else the one with the least remaining. */
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
}
