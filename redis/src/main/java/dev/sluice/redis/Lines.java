package dev.sluice.redis;

import dev.sluice.Decision;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Those of this process who wait for permits, first come, first served for each key and share.
 *
 * <p>Only the first in a line asks Redis, and again when Redis said to; the others wait for it. Processes of a fleet do
 * not know of each other's lines. Nothing is taken before a turn has come, so leaving a line takes nothing.
 */
final class Lines {
    /** How often the first in a line asks for permits that are held: their release elsewhere is not told. */
    private static final long LOOK_MICROS = 20_000;

    private record Place(String key, int percent) {}

    private static final class Waiter extends CompletableFuture<Decision> {
        private final Place place;
        private final long permits;
        private final long deadlineNanos;
        private long alarm;

        Waiter(Place place, long permits, long deadlineNanos) {
            this.place = place;
            this.permits = permits;
            this.deadlineNanos = deadlineNanos;
        }

        long microsLeft() {
            return TimeUnit.NANOSECONDS.toMicros(deadlineNanos - System.nanoTime());
        }
    }

    private final SharedState shared;
    /** A line is changed only inside compute, and never left empty. */
    private final ConcurrentHashMap<Place, Deque<Waiter>> lines = new ConcurrentHashMap<>();

    Lines(SharedState shared) {
        this.shared = shared;
    }

    /** Waits for the permits, or is turned away at once if they cannot be had in time. */
    CompletableFuture<Decision> join(String key, long permits, int percent, long waitMicros) {
        long waitNanos = Math.min(Long.MAX_VALUE / 4, TimeUnit.MICROSECONDS.toNanos(waitMicros));
        Waiter waiter = new Waiter(new Place(key, percent), permits, System.nanoTime() + waitNanos);
        long[] ahead = {0};
        lines.compute(waiter.place, (place, those) -> {
            Deque<Waiter> line = those == null ? new ArrayDeque<>() : those;
            line.forEach(each -> ahead[0] += each.permits);
            line.add(waiter);
            return line;
        });
        waiter.whenComplete((decision, cancelled) -> leave(waiter));
        if (ahead[0] == 0) {
            ask(waiter);
        } else {
            turnAwayIfHopeless(waiter, ahead[0]);
        }
        return waiter;
    }

    /** The key may have changed. */
    void reconsider(String key) {
        lines.forEach((place, line) -> {
            if (place.key.equals(key)) {
                askFirst(place);
            }
        });
    }

    /** Every key may have changed. */
    void reconsiderAll() {
        lines.keySet().forEach(this::askFirst);
    }

    private void askFirst(Place place) {
        Waiter first = first(place);
        if (first != null) {
            ask(first);
        }
    }

    private void ask(Waiter waiter) {
        shared.take(waiter.place.key, waiter.permits, waiter.place.percent, 0).thenAccept(decision -> {
            if (decision.allowed()) {
                if (!waiter.complete(decision)) {
                    shared.giveBack(waiter.place.key, decision);
                }
            } else if (isHopeless(waiter, decision)) {
                waiter.complete(decision);
            } else {
                askAfter(waiter, shared.holds() ? LOOK_MICROS : decision.retryAfterMicros());
            }
        });
    }

    /** What is held may be released by anybody at any time, so that is waited for to the end. */
    private boolean isHopeless(Waiter waiter, Decision denied) {
        long left = waiter.microsLeft();
        return denied.never() || left <= 0 || (!shared.holds() && denied.retryAfterMicros() > left);
    }

    /** Asks again then, unless somebody has given reason to ask before. */
    private void askAfter(Waiter waiter, long micros) {
        long alarm = System.nanoTime();
        waiter.alarm = alarm;
        shared.after(Math.max(1, micros), () -> {
            if (waiter.alarm == alarm && !waiter.isDone()) {
                ask(waiter);
            }
        });
    }

    /** Whoever comes after others waits for them too: if all of it cannot be had in time, there is no use in waiting. */
    private void turnAwayIfHopeless(Waiter waiter, long ahead) {
        shared.peek(waiter.place.key, ahead + waiter.permits, waiter.place.percent)
                .thenAccept(decision -> {
                    boolean known = !decision.allowed() && !decision.never();
                    if (known && isHopeless(waiter, decision)) {
                        waiter.complete(Decision.denied(
                                decision.outcome(),
                                waiter.permits,
                                decision.limit(),
                                decision.remaining(),
                                decision.retryAfterMicros(),
                                decision.resetAfterMicros()));
                    } else if (!waiter.isDone()) {
                        shared.after(Math.max(1, waiter.microsLeft()), () -> expire(waiter));
                    }
                });
    }

    private void expire(Waiter waiter) {
        if (!waiter.isDone()) {
            shared.peek(waiter.place.key, waiter.permits, waiter.place.percent).thenAccept(decision -> {
                if (!decision.allowed()) {
                    waiter.complete(decision);
                } else {
                    ask(waiter);
                }
            });
        }
    }

    private void leave(Waiter waiter) {
        boolean[] wasFirst = {false};
        lines.computeIfPresent(waiter.place, (place, line) -> {
            wasFirst[0] = line.peek() == waiter;
            line.remove(waiter);
            return line.isEmpty() ? null : line;
        });
        if (wasFirst[0]) {
            askFirst(waiter.place);
        }
    }

    private @Nullable Waiter first(Place place) {
        Waiter[] first = {null};
        lines.computeIfPresent(place, (unused, line) -> {
            first[0] = line.peek();
            return line;
        });
        return first[0];
    }
}
