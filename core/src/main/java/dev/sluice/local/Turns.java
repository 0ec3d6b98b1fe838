package dev.sluice.local;

import dev.sluice.algorithm.Concurrency;
import dev.sluice.algorithm.State;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * When the turns of the waiters in a queue come, and whether that is in time. Used under the lock of the queue.
 *
 * <p><b>How is it designed, and why?</b> A newcomer behind all others extends the {@link Forecast} by one step. Whatever
 * else happens makes the forecast stale, and making it again takes as many steps as there are waiters. For at most
 * {@value #FREE_STEPS} waiters it is made again whenever it is needed, so for them all turns are exact. For more it has to
 * be paid for, and every operation pays {@value #FREE_STEPS} steps, so that a long queue costs no more for each operation
 * than a short one.
 *
 * <p>Nobody is refused by a stale forecast. A newcomer that finds one joins. If its turn cannot come in time, it is
 * refused by the next forecast or at its deadline. The {@code retryAfter} of other calls is an estimate meanwhile.
 */
final class Turns {
    /** The steps of a forecast that each operation pays for. */
    static final int FREE_STEPS = 256;

    private final Entry entry;
    private final Waiters waiters;
    private @Nullable Forecast forecast;
    private boolean stale = true;
    private long paidSteps;
    private long steps;
    /** Whether the turn of a waiter may have become too late. */
    private volatile boolean unchecked;

    Turns(Entry entry, Waiters waiters) {
        this.entry = entry;
        this.waiters = waiters;
    }

    // ---- What happens to the queue

    /** Pays for an operation. */
    void pay() {
        paidSteps = Math.min(paidSteps + FREE_STEPS, waiters.size() + FREE_STEPS);
    }

    /** Pays for a whole forecast. */
    void payAll() {
        paidSteps = Math.max(paidSteps, waiters.size());
    }

    /** Notes that turns may come earlier. One of a lower share that does may delay those of a higher one. */
    void changed() {
        if (waiters.haveOneShare()) {
            stale = true;
        } else {
            delayed();
        }
    }

    /** Notes that turns may come later. */
    void delayed() {
        stale = true;
        unchecked = areForeseeable();
    }

    /** Notes that a waiter has joined whose turn {@linkplain #canCome can come}. */
    void joined(Waiter waiter) {
        if (forecast != null && !stale) {
            forecast.charge(waiter, waiter.turn);
            steps++;
        }
    }

    /** Notes that a waiter was served. */
    void served(Waiter waiter, long now) {
        if (now > waiter.turn && forecast != null && forecast.spansTime()) {
            delayed();
        } else if (now != waiter.turn) {
            changed();
        }
    }

    // ---- What the turns are

    /** Whether the turn of a newcomer can come in time, as far as is known. */
    boolean canCome(Waiter newcomer, long now) {
        long soonest = entry.read(state -> state.soonestAt(newcomer.percent, now, newcomer.permits));
        if (!newcomer.isInTime(soonest) || !areForeseeable()) {
            return newcomer.isInTime(soonest);
        }
        Forecast latest = waiters.isBehindAll(newcomer.percent) ? latest(now) : null;
        if (latest == null || stale) {
            delayed();
            return true;
        }
        newcomer.turn = latest.turnOf(newcomer.percent, newcomer.permits, now);
        return newcomer.isInTime(newcomer.turn);
    }

    /** When a newcomer that is behind a waiter would be admitted. */
    long ofNewcomer(long permits, int percent, long now) {
        if (!areForeseeable() || !entry.state.fits(percent, permits)) {
            return State.NEVER;
        }
        if (!waiters.isBehindAll(percent) && isPaidFor()) {
            return simulate(new Waiter(permits, percent), now);
        }
        return latest(now).readyAt(percent, permits, now);
    }

    private long simulate(Waiter newcomer, long now) {
        Forecast untilThen = new Forecast(entry.snapshot(), now);
        waiters.add(newcomer);
        try {
            untilThen.serve(waiters, newcomer, new ArrayList<>());
        } finally {
            waiters.remove(newcomer);
        }
        count(untilThen);
        return untilThen.readyAt(newcomer.percent, newcomer.permits, now);
    }

    // ---- Who is hopeless

    /** Whether the turn of a waiter may have become too late. */
    boolean areUnchecked() {
        return unchecked;
    }

    /** Whether that is to be found out, and is paid for. */
    boolean canBeChecked() {
        return unchecked && isPaidFor();
    }

    /** The waiters whose turns cannot come in time; they are to be removed, and then asked for again if it can be. */
    List<Waiter> check(long now) {
        List<Waiter> hopeless = new ArrayList<>();
        foresee(now, hopeless);
        unchecked = stale;
        return hopeless;
    }

    // ---- Forecasts

    /** Held permits come back nobody knows when: with nothing but a concurrency limit there is nothing to foresee. */
    private boolean areForeseeable() {
        return !(entry.state.algorithm() instanceof Concurrency);
    }

    /** The forecast, made again if it is stale and that is paid for; it may be stale still. */
    private Forecast latest(long now) {
        Forecast latest = forecast;
        if (latest != null && !(stale && isPaidFor())) {
            return latest;
        }
        List<Waiter> hopeless = new ArrayList<>();
        latest = foresee(now, hopeless);
        if (!hopeless.isEmpty()) {
            unchecked = true;
        }
        return latest;
    }

    /** Makes the forecast again. It is stale if it has to be made once more without those who are hopeless. */
    private Forecast foresee(long now, List<Waiter> hopeless) {
        Forecast made = new Forecast(entry.snapshot(), now);
        stale = !made.serve(waiters, null, hopeless);
        forecast = made;
        count(made);
        return made;
    }

    private boolean isPaidFor() {
        return waiters.size() <= FREE_STEPS || paidSteps >= waiters.size();
    }

    private void count(Forecast made) {
        paidSteps -= made.steps();
        steps += made.steps();
    }

    /** How many steps all forecasts have taken. */
    long steps() {
        return steps;
    }
}
