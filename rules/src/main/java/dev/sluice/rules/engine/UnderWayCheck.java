package dev.sluice.rules.engine;

import dev.sluice.Decision;
import dev.sluice.Limiter;
import dev.sluice.Outcome;
import dev.sluice.Scheduler;
import dev.sluice.Ticker;
import dev.sluice.rules.Place;
import dev.sluice.rules.Rule;
import dev.sluice.rules.RuleDecision;
import dev.sluice.rules.UnderWay;
import dev.sluice.rules.Verdict;
import dev.sluice.rules.engine.CompiledRule.UnderWayLimiters;
import dev.sluice.spi.LimiterDecision;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Checks a request of whose rules some are charged only when it is known what became of the request.
 *
 * <p><b>How is it designed, and why?</b> "Three wrong passwords a minute" should not deny right ones, so it cannot be
 * charged before the password was checked. It must not let a thousand through that are sent at once, either.
 *
 * <pre>
 *   look      is there a permit left?             no: denied, so that nobody waits for a place in vain
 *   place     one of max places, after a wait     none: denied
 *   look      still one left, and no excess?      no: denied, the place is free again
 *   charge    the rules that are charged at once  denied: the place is free again
 *   ...       the request runs
 *   settle    charge, if it was such a request; then free the place
 * </pre>
 *
 * <p>A request that is settled when the limit is used up already is counted as excess, for the length of the window. While
 * there is any, all requests are denied. So whoever looks and is let in finds no excess of the window before, and the
 * requests that the rule is about are within any window at most the limit, which are counted, and max, which have a place.
 *
 * <p>Looking takes nothing, so a denied request leaves no trace, and a request that waits for its place denies nobody. The
 * rules that are charged at once come last, because only they would have to be refunded.
 */
final class UnderWayCheck {
    /** When to try again after there was no place: nobody knows when there will be one. */
    private static final long NO_PLACE_RETRY_MICROS = 1_000_000;

    /** What it needs of the engine. */
    interface Host {
        Scheduler scheduler();

        Ticker ticker();

        /** The limiters of a rule; null if it takes no places. */
        @Nullable
        UnderWayLimiters limiters(Rule rule);

        CompletableFuture<Verdict> decide(List<PendingCharge> charges);

        CompletableFuture<Void> refund(Verdict verdict);

        boolean waitsEnded();
    }

    private final Host host;
    private final List<PendingCharge> later;
    private final List<PendingCharge> others;
    private final long startNanos;
    private final CompletableFuture<Verdict> result = new CompletableFuture<>();
    /** By the index of what is charged later. */
    private final @Nullable Place[] places;
    /** What is waited for now. */
    private volatile CompletableFuture<?> stage = CompletableFuture.completedFuture(null);

    private List<RuleDecision> seen = List.of();
    /** The wait for permits; completing it ends it. */
    private volatile CompletableFuture<Void> pause = CompletableFuture.completedFuture(null);

    /** How often it was told to look again. */
    private final AtomicInteger changes = new AtomicInteger();

    private volatile boolean waitEnded;

    /**
     * @param later what is to be charged when it is known what became of the request
     * @param others what is to be charged at once
     */
    UnderWayCheck(Host host, List<PendingCharge> later, List<PendingCharge> others) {
        this.host = host;
        this.later = later;
        this.others = others;
        this.places = new @Nullable Place[later.size()];
        this.startNanos = host.ticker().nanos();
    }

    /** The verdict. Cancelling it, or completing it by other means, takes nothing. */
    CompletableFuture<Verdict> run() {
        result.whenComplete((verdict, failure) -> stage.cancel(false));
        look(PendingCharge::peek, verdict -> takePlace(0));
        return result;
    }

    /** If it waits for permits, it looks again whether there are any. */
    void reconsider() {
        changes.incrementAndGet();
        pause.complete(null);
    }

    /** If it waits for permits, it is denied unless there are any now. */
    void endWait() {
        waitEnded = true;
        reconsider();
    }

    /** Runs a step, and goes on with its outcome. If it fails, or if the owner has cancelled, nothing stays taken. */
    private <T> void step(Supplier<CompletableFuture<T>> step, Consumer<T> next) {
        if (result.isDone()) {
            freePlaces();
            return;
        }
        CompletableFuture<T> started;
        try {
            started = step.get();
        } catch (RuntimeException e) {
            fail(e);
            return;
        }
        stage = started;
        if (result.isDone()) {
            started.cancel(false);
        }
        started.whenComplete((outcome, failure) -> {
            if (failure != null) {
                fail(failure);
                return;
            }
            try {
                next.accept(outcome);
            } catch (RuntimeException e) {
                fail(e);
            }
        });
    }

    private void fail(Throwable failure) {
        freePlaces();
        result.completeExceptionally(failure);
    }

    private void freePlaces() {
        for (Place place : places) {
            if (place != null) {
                place.release();
            }
        }
    }

    private void deny(Verdict verdict) {
        freePlaces();
        result.complete(verdict);
    }

    // ---- Looking

    /** Looks whether the limits have permits left, and goes on if they have; waits for them where the rules say so. */
    private void look(Function<PendingCharge, CompletableFuture<Decision>> look, Consumer<Verdict> next) {
        int before = changes.get();
        step(() -> lookAtAll(look), decisions -> {
            seen = decisions;
            Verdict verdict = Verdict.of(decisions);
            long wait = verdict.allowed() ? 0 : waitMicros();
            if (verdict.allowed()) {
                next.accept(verdict);
            } else if (wait < 0) {
                deny(verdict);
            } else {
                step(() -> pause(wait, before), over -> look(look, next));
            }
        });
    }

    private CompletableFuture<List<RuleDecision>> lookAtAll(Function<PendingCharge, CompletableFuture<Decision>> look) {
        return CheckExecution.all(later.stream()
                .map(charge -> look.apply(charge)
                        .thenApply(
                                seen -> charge.decided(LimiterDecision.of(seen).untaken())))
                .toList());
    }

    private CompletableFuture<Decision> lookAtLimitAndExcess(PendingCharge charge) {
        UnderWayLimiters limiters = host.limiters(charge.rule());
        return limiters == null || charge.blockedMicros() > 0
                ? charge.peek()
                : withExcess(charge.peek(), limiters.excess(), charge.key());
    }

    /** The decision of a limit on a key, which denies until the key has no excess any more. */
    static CompletableFuture<Decision> withExcess(CompletableFuture<Decision> own, NamedLimiter excess, String key) {
        long none = excess.limits.get(0).permits();
        return own.thenCombine(excess.limiter.peekAsync(key, none), UnderWayCheck::withExcess);
    }

    private static Decision withExcess(Decision own, Decision excess) {
        if (excess.allowed() || own.outcome() == Outcome.NEVER) {
            return own;
        }
        long retryAfter = Math.max(excess.retryAfterMicros(), own.retryAfterMicros());
        long resetAfter = Math.max(excess.resetAfterMicros(), own.resetAfterMicros());
        return LimiterDecision.denied(Outcome.DENIED, own.permits(), own.limit(), 0, retryAfter, resetAfter)
                .withSource(excess.source());
    }

    /** How long to wait until the limits have permits; -1 if a rule denies that does not wait so long. */
    private long waitMicros() {
        long longest = 1;
        for (int i = 0; i < seen.size(); i++) {
            Decision decision = seen.get(i).decision();
            if (seen.get(i).denies()) {
                long maxWait = TimeUnit.MICROSECONDS.convert(
                        later.get(i).rule().onExceed().maxWait());
                boolean tooLong = decision.never() || decision.retryAfterMicros() > maxWait - waitedMicros();
                if (tooLong || waitEnded || host.waitsEnded()) {
                    return -1;
                }
                longest = Math.max(longest, decision.retryAfterMicros());
            }
        }
        return longest;
    }

    private long waitedMicros() {
        return TimeUnit.NANOSECONDS.toMicros(host.ticker().nanos() - startNanos);
    }

    /** Over after this time, or when it was told to look again since {@code before}. */
    private CompletableFuture<Void> pause(long micros, int before) {
        CompletableFuture<Void> over = new CompletableFuture<>();
        Runnable cancel = host.scheduler().schedule(micros, () -> over.complete(null));
        over.whenComplete((done, failure) -> cancel.run());
        pause = over;
        if (changes.get() != before) {
            over.complete(null);
        }
        return over;
    }

    // ---- Places

    /** Takes a place for the rules from {@code index} on, in their order, so that no two requests wait for each other. */
    private void takePlace(int index) {
        if (index == later.size()) {
            look(this::lookAtLimitAndExcess, verdict -> chargeOthers());
            return;
        }
        PendingCharge charge = later.get(index);
        UnderWayLimiters limiters = host.limiters(charge.rule());
        if (limiters == null) {
            takePlace(index + 1);
        } else {
            Limiter limiter = limiters.places().limiter;
            step(() -> limiter.acquireAsync(charge.key(), 1, maxWait(charge)), decision -> {
                if (decision.allowed()) {
                    places[index] = new Place(limiter, charge.key(), decision);
                    takePlace(index + 1);
                } else {
                    deny(Verdict.of(withoutPlace(index, decision)));
                }
            });
        }
    }

    private Duration maxWait(PendingCharge charge) {
        UnderWay underWay = charge.rule().underWay();
        return underWay == null || host.waitsEnded() ? Duration.ZERO : underWay.maxWait();
    }

    /** What was seen, where one rule denies because it has no place. */
    private List<RuleDecision> withoutPlace(int index, Decision denied) {
        List<RuleDecision> decisions = new ArrayList<>(seen);
        long retryAfter = Math.min(denied.retryAfterMicros(), NO_PLACE_RETRY_MICROS);
        decisions.set(
                index,
                seen.get(index)
                        .withDecision(LimiterDecision.denied(
                                        Outcome.DENIED, denied.permits(), denied.limit(), 0, retryAfter, retryAfter)
                                .withSource(denied.source())));
        return decisions;
    }

    // ---- The other rules

    private void chargeOthers() {
        List<RuleDecision> decisions = new ArrayList<>();
        for (int i = 0; i < seen.size(); i++) {
            decisions.add(seen.get(i).withPlace(places[i]));
        }
        if (others.isEmpty()) {
            finish(Verdict.of(decisions));
            return;
        }
        step(() -> host.decide(others), verdict -> {
            if (verdict.allowed()) {
                decisions.addAll(0, verdict.decisions());
                finish(Verdict.of(decisions));
            } else {
                deny(Verdict.of(Stream.concat(verdict.decisions().stream(), seen.stream())
                        .toList()));
            }
        });
    }

    private void finish(Verdict verdict) {
        if (!result.complete(verdict)) {
            host.refund(verdict);
        }
    }
}
