package dev.sluice.server.envoy;

import com.google.protobuf.Struct;
import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.rules.Request;
import dev.sluice.rules.RuleDecision;
import dev.sluice.rules.Verdict;
import dev.sluice.rules.engine.RuleEngine;
import dev.sluice.server.envoy.file.DescriptorLimit;
import dev.sluice.server.envoy.file.EnvoyUnit;
import dev.sluice.server.record.Recorder;
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
    private final @Nullable Recorder recorder;

    RuleLimits(RuleEngine engine, WindowCounter.Factory windows, @Nullable Recorder recorder) {
        this.engine = engine;
        this.recorder = recorder;
        this.overrides = new LimitOverrides(windows);
    }

    /** Sets the listener, which hears of the descriptors that bring a limit along; the rules have listeners of their own. */
    void listener(RateLimitListener listener) {
        overrides.listener(listener);
    }

    /**
     * The result for a descriptor, and what took permits for it.
     *
     * @param verdict the verdict of the rules; null if they took nothing
     * @param uncount takes back the hits that were counted for a limit of the descriptor's own
     */
    private record Charge(DescriptorResult result, @Nullable Verdict verdict, Runnable uncount) {
        static Charge nothing(DescriptorResult result) {
            return new Charge(result, null, () -> {});
        }
    }

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
        CompletableFuture<List<Charge>> all = RateLimitService.allOrNone(charges, this::giveBack);
        CompletableFuture<RateLimitService.Decided> decided =
                RateLimitService.isDecided(all) ? settle(all.join()) : all.thenCompose(this::settle);
        return RateLimitService.cancellable(decided, () -> checks.forEach(check -> check.cancel(false)));
    }

    private void giveBack(Charge charge) {
        charge.uncount.run();
        if (charge.verdict != null) {
            engine.refund(charge.verdict);
        }
    }

    private CompletableFuture<Charge> decide(
            RateLimitRequest whole,
            RateLimitDescriptor descriptor,
            Request request,
            List<CompletableFuture<Verdict>> checks) {
        long hits = Descriptors.hits(whole, descriptor);
        if (descriptor.hasLimit()) {
            return overrides
                    .decide(whole.getDomain(), descriptor, hits)
                    .thenApply(counted -> new Charge(counted.result(), null, counted.uncount()));
        }
        if (hits == 0) {
            return engine.peek(request).thenApply(verdict -> Charge.nothing(result(verdict, Taken.NO)));
        }
        if (recorder != null) {
            recorder.record(request);
        }
        CompletableFuture<Verdict> check = engine.check(request);
        checks.add(check);
        return RateLimitService.isDecided(check)
                ? CompletableFuture.completedFuture(taken(check.join()))
                : check.thenApply(RuleLimits::taken);
    }

    private static Charge taken(Verdict verdict) {
        return new Charge(result(verdict, Taken.YES), verdict, () -> {});
    }

    private CompletableFuture<RateLimitService.Decided> settle(List<Charge> charges) {
        List<DescriptorResult> results = new ArrayList<>(charges.size());
        boolean holds = false;
        boolean denied = false;
        for (Charge charge : charges) {
            Verdict verdict = charge.verdict();
            results.add(charge.result());
            denied |= charge.result().denies();
            holds |= verdict != null && engine.leases().holds(verdict);
        }
        if (denied) {
            return refuse(charges);
        }
        if (!holds) {
            return CompletableFuture.completedFuture(
                    new RateLimitService.Decided(results, () -> charges.forEach(this::giveBack), false));
        }
        return RateLimitService.all(charges.stream().map(this::lease).toList())
                .thenApply(tokens -> held(results, charges, tokens));
    }

    /** The token of what a charge holds: empty if it holds nothing, and absent if there is no room for a lease. */
    private CompletableFuture<Optional<String>> lease(Charge charge) {
        return charge.verdict == null
                ? CompletableFuture.completedFuture(Optional.of(""))
                : engine.leases().grant(charge.verdict, null);
    }

    /** The decision on a request that holds permits. Envoy cannot release them, so that their leases end them. */
    private RateLimitService.Decided held(
            List<DescriptorResult> results, List<Charge> charges, List<Optional<String>> tokens) {
        Runnable giveBack = () -> {
            for (int i = 0; i < charges.size(); i++) {
                String token = tokens.get(i).orElse(null); // without one it has been given back
                if (token != null && token.isEmpty()) {
                    giveBack(charges.get(i));
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
        RateLimitService.Decided decided =
                new RateLimitService.Decided(results, () -> charges.forEach(charge -> charge.uncount.run()), false);
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
