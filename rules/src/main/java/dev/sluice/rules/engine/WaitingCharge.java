package dev.sluice.rules.engine;

import dev.sluice.Charge;
import dev.sluice.Decision;
import dev.sluice.Outcome;
import dev.sluice.Scheduler;
import dev.sluice.Store;
import dev.sluice.Ticker;
import dev.sluice.spi.LimiterDecision;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Charges several rules for one request, all or none, and waits where the rules say so.
 *
 * <p>A request waits only if every rule that denies it lets it wait that long; the shortest of their waits counts, from
 * the start. When the longest of their {@code retryAfter} is over, or the rules change, all are tried again. Nothing is
 * taken meanwhile, so that a waiting request denies nobody else. The price: several rules together do not serve first
 * come, first served, as one rule alone does.
 *
 * <p>The delay of a queue is part of the wait of its rule: the store denies the request if the delay would be longer.
 */
final class WaitingCharge {
    /** How often to look for held permits, which are released without notice. */
    private static final long HELD_RETRY_MICROS = 10_000;

    private final Store store;
    private final Scheduler scheduler;
    private final Ticker ticker;
    private final List<PendingCharge> pending;
    private final long startNanos;
    private final CompletableFuture<List<Decision>> result = new CompletableFuture<>();
    /** Whether the next attempt is yet to be made: the timer makes it, or a change of the rules. */
    private final AtomicBoolean due = new AtomicBoolean(true);

    private volatile Runnable cancelTimer = () -> {};
    private volatile boolean waitsNoMore;

    WaitingCharge(Store store, Scheduler scheduler, Ticker ticker, List<PendingCharge> pending) {
        this.store = store;
        this.scheduler = scheduler;
        this.ticker = ticker;
        this.pending = pending;
        this.startNanos = ticker.nanos();
    }

    /** The decisions. Cancelling the future, or completing it by other means, takes nothing. */
    CompletableFuture<List<Decision>> run() {
        result.whenComplete((decisions, failure) -> cancelTimer.run());
        attempt();
        return result;
    }

    /** Tries once more and does not wait after that. */
    void endWait() {
        waitsNoMore = true;
        reconsider();
    }

    /** Tries again at once. */
    void reconsider() {
        cancelTimer.run();
        attempt();
    }

    private void attempt() {
        if (result.isDone() || !due.compareAndSet(true, false)) {
            return;
        }
        List<Charge> charges = charges();
        decideAll(charges).whenComplete((decisions, failure) -> {
            if (failure != null) {
                result.completeExceptionally(failure);
            } else if (decisions.stream().allMatch(Decision::allowed)) {
                admitted(charges, decisions);
            } else {
                long wait = waitMicros(decisions);
                if (wait < 0) {
                    result.complete(decisions);
                } else {
                    due.set(true);
                    cancelTimer = scheduler.schedule(wait, this::attempt);
                }
            }
        });
    }

    private CompletableFuture<List<Decision>> decideAll(List<Charge> charges) {
        try {
            return store.decideAll(charges);
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private List<Charge> charges() {
        List<Charge> charges = new ArrayList<>(pending.size());
        for (PendingCharge each : pending) {
            charges.add(
                    each.waits()
                            ? each.charge(Duration.of(Math.max(0, leftMicros(each)), ChronoUnit.MICROS))
                            : each.charge());
        }
        return charges;
    }

    /** How long to wait before the next attempt; -1 if no wait will help. */
    private long waitMicros(List<Decision> decisions) {
        long longest = 1;
        long left = Long.MAX_VALUE;
        for (int i = 0; i < decisions.size(); i++) {
            Decision decision = decisions.get(i);
            if (decision.allowed()) {
                continue;
            }
            if (!pending.get(i).waits() || decision.outcome() == Outcome.NEVER) {
                return -1;
            }
            left = Math.min(left, leftMicros(pending.get(i)));
            if (!decision.never()) {
                longest = Math.max(longest, decision.retryAfterMicros());
            }
        }
        if (left <= 0 || longest > left || waitsNoMore) {
            return -1;
        }
        boolean held = decisions.stream().anyMatch(Decision::never);
        return held ? Math.min(left, Math.max(longest, HELD_RETRY_MICROS)) : longest;
    }

    /** Waits out the delay of the queues whose rules wait; that of the others is the caller's. */
    private void admitted(List<Charge> charges, List<Decision> taken) {
        long delay = 0;
        for (int i = 0; i < taken.size(); i++) {
            delay = pending.get(i).waits() ? Math.max(delay, taken.get(i).delayMicros()) : delay;
        }
        long waited = delay;
        List<Decision> granted = taken.stream()
                .<Decision>map(each -> LimiterDecision.of(each).afterDelay(waited))
                .toList();
        result.whenComplete((decisions, failure) -> {
            if (decisions != granted) {
                refund(charges, taken);
            }
        });
        if (delay == 0) {
            result.complete(granted);
        } else {
            cancelTimer = scheduler.schedule(delay, () -> result.complete(granted));
        }
    }

    private static void refund(List<Charge> charges, List<Decision> taken) {
        for (int i = 0; i < taken.size(); i++) {
            charges.get(i).limiter().refundAsync(charges.get(i).key(), taken.get(i));
        }
    }

    /** How much longer a rule lets the request wait. */
    private long leftMicros(PendingCharge charge) {
        long waited = TimeUnit.NANOSECONDS.toMicros(ticker.nanos() - startNanos);
        return TimeUnit.MICROSECONDS.convert(charge.rule().onExceed().maxWait()) - waited;
    }
}
