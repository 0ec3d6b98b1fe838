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
import java.util.Optional;
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
    public CompletableFuture<RateLimitService.Decided> decide(RateLimitRequest request) {
        List<Request> requests = new ArrayList<>(request.getDescriptorsCount());
        for (int i = 0; i < request.getDescriptorsCount(); i++) {
            requests.add(Descriptors.request(request, i));
        }
        List<CompletableFuture<Verdict>> checks = new ArrayList<>(requests.size());
        List<CompletableFuture<Charge>> charges = new ArrayList<>(requests.size());
        for (int i = 0; i < requests.size(); i++) {
            charges.add(decide(request, request.getDescriptors(i), requests.get(i), checks));
        }
        CompletableFuture<List<Charge>> all = RateLimitService.all(charges);
        CompletableFuture<RateLimitService.Decided> decided = RateLimitService.isDecided(all)
                ? settle(all.join())
                : all.whenComplete((made, failure) -> {
                            if (failure != null) {
                                refund(checks);
                            }
                        })
                        .thenCompose(this::settle);
        return decided.isDone() ? decided : cancellable(decided, checks);
    }

    /** The same decision; when its caller cancels it, the checks end, and what was taken is given back. */
    private static CompletableFuture<RateLimitService.Decided> cancellable(
            CompletableFuture<RateLimitService.Decided> decided, List<CompletableFuture<Verdict>> checks) {
        CompletableFuture<RateLimitService.Decided> handed = new CompletableFuture<>();
        decided.whenComplete((made, failure) -> {
            if (failure != null) {
                handed.completeExceptionally(failure);
            } else if (!handed.complete(made)) {
                made.giveBack().run();
            }
        });
        handed.whenComplete((made, failure) -> {
            if (handed.isCancelled()) {
                checks.forEach(check -> check.cancel(false));
            }
        });
        return handed;
    }

    /** Refunds the checks that were made before another failed or was cancelled. */
    private void refund(List<CompletableFuture<Verdict>> checks) {
        for (CompletableFuture<Verdict> check : checks) {
            if (!check.isCompletedExceptionally()) {
                engine.refund(check.join());
            }
        }
    }

    private CompletableFuture<Charge> decide(
            RateLimitRequest whole,
            RateLimitDescriptor descriptor,
            Request request,
            List<CompletableFuture<Verdict>> checks) {
        long hits = Descriptors.hits(whole, descriptor);
        if (descriptor.hasLimit()) {
            return overrides.decide(whole.getDomain(), descriptor, hits).thenApply(result -> new Charge(result, null));
        }
        if (hits == 0) {
            return engine.peek(request).thenApply(verdict -> new Charge(result(verdict, Taken.NO), null));
        }
        CompletableFuture<Verdict> check = engine.check(request);
        checks.add(check);
        return RateLimitService.isDecided(check)
                ? CompletableFuture.completedFuture(taken(check.join()))
                : check.thenApply(RuleLimits::taken);
    }

    private static Charge taken(Verdict verdict) {
        return new Charge(result(verdict, Taken.YES), verdict);
    }

    private CompletableFuture<RateLimitService.Decided> settle(List<Charge> charges) {
        List<Verdict> verdicts = new ArrayList<>(charges.size());
        List<DescriptorResult> results = new ArrayList<>(charges.size());
        boolean holds = false;
        boolean denied = false;
        for (Charge charge : charges) {
            Verdict verdict = charge.verdict();
            results.add(charge.result());
            denied |= charge.result().denies();
            if (verdict != null) {
                verdicts.add(verdict);
                holds |= engine.leases().holds(verdict);
            }
        }
        if (denied) {
            return refuse(charges);
        }
        if (!holds) {
            return CompletableFuture.completedFuture(
                    new RateLimitService.Decided(results, () -> verdicts.forEach(engine::refund), false));
        }
        return RateLimitService.all(verdicts.stream()
                        .map(verdict -> engine.leases().grant(verdict, null))
                        .toList())
                .thenApply(tokens -> held(results, verdicts, tokens));
    }

    /** The decision on a request that holds permits. Envoy cannot release them, so that their leases end them. */
    private RateLimitService.Decided held(
            List<DescriptorResult> results, List<Verdict> verdicts, List<Optional<String>> tokens) {
        Runnable giveBack = () -> {
            for (int i = 0; i < verdicts.size(); i++) {
                String token = tokens.get(i).orElse(null); // without one it has been given back
                if (token != null && token.isEmpty()) {
                    engine.refund(verdicts.get(i));
                } else if (token != null) {
                    engine.leases().release(token);
                }
            }
        };
        if (tokens.stream().anyMatch(Optional::isEmpty)) {
            giveBack.run();
            throw new TooManyHolds();
        }
        return new RateLimitService.Decided(results, giveBack, true);
    }

    /** There is no memory for the lease of a hold. */
    private static final class TooManyHolds extends RuntimeException {
        private static final long serialVersionUID = 1;

        TooManyHolds() {
            super("there are too many holds", null, false, false);
        }
    }

    /** Gives back what was taken for other descriptors, and what shadow rules hold: a denied request does not run. */
    private CompletableFuture<RateLimitService.Decided> refuse(List<Charge> charges) {
        List<DescriptorResult> results = new ArrayList<>(charges.size());
        List<CompletableFuture<Void>> refunds = new ArrayList<>();
        for (Charge charge : charges) {
            Verdict verdict = charge.verdict();
            if (verdict != null && verdict.allowed()) {
                refunds.add(engine.refund(verdict));
                results.add(result(verdict, Taken.NO));
            } else {
                results.add(charge.result());
                if (verdict != null && engine.leases().holds(verdict)) {
                    refunds.add(engine.release(verdict));
                }
            }
        }
        RateLimitService.Decided decided = RateLimitService.Decided.counted(results);
        return refunds.isEmpty()
                ? CompletableFuture.completedFuture(decided)
                : RateLimitService.all(refunds).thenApply(done -> decided);
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
