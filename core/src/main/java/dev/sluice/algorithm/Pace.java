package dev.sluice.algorithm;

/**
 * The arithmetic of a pacer: how long each caller waits.
 *
 * <pre>
 *   balance  > 0  idle time saved: spent before anybody waits
 *            &lt; 0  debt: what the last callers took ahead of time, to be waited off by the next
 *
 *   with a warm-up, idle time saves nothing but makes the pacer cold:
 *
 *   time for a permit   3 |            /
 *   (1 = at full rate)    |          /
 *                       1 |________/
 *                         0      w/2     w      coldness, at most the warm-up w
 * </pre>
 *
 * <p>Why the next caller pays: an idle pacer cannot know how soon the next call comes, so there is nothing to gain from
 * making the first one wait. Why the curve: calls warm the pacer by using up coldness from the right; the area under the
 * curve is the time they take, and the slanted half takes just the warm-up. All in whole {@linkplain Rate units}.
 *
 * <p>Why only the last reservation can be undone: those who came later have been told a time that counts on it.
 */
public final class Pace {
    private static final long SAVED_MICROS = 1_000_000;
    /** The largest debt, in units, and the most that is saved: sums of a few of them fit a long. */
    private static final long MAX_DEBT = 1L << 60;

    private static final long MAX_SPEED = MAX_DEBT / SAVED_MICROS;
    private static final long MAX_COLD = 1L << 53;

    private final long warmUpMicros;
    private Rate rate;
    private long maxSaved;
    private long maxCold;
    private long balance;
    private long cold;
    private long last;

    private long reservations;
    private long lastCost;
    private long lastUsed;

    /** A pace at this rate from now on; it starts cold if there is a warm-up. */
    public Pace(Rate rate, long warmUpMicros, long now) {
        check(rate, warmUpMicros);
        this.warmUpMicros = warmUpMicros;
        this.rate = rate;
        this.maxCold = warmUpMicros * rate.speed;
        this.maxSaved = warmUpMicros == 0 ? SAVED_MICROS * rate.speed : 0;
        this.cold = maxCold;
        this.last = now;
    }

    private static void check(Rate rate, long warmUpMicros) {
        if (rate.speed > MAX_SPEED) {
            throw new IllegalArgumentException("a pacer cannot keep " + rate.speed + " permits per " + rate.weight
                    + " microseconds exactly: at most " + MAX_SPEED
                    + " permits per period, or more that share factors with its microseconds");
        }
        if (warmUpMicros < 0 || warmUpMicros > MAX_COLD / rate.speed) {
            throw new IllegalArgumentException("warm-up must be 0 to " + MAX_COLD / rate.speed
                    + " microseconds at this rate, was " + warmUpMicros);
        }
    }

    /** Takes {@code permits} unless that means a wait of more than {@code maxWait}; how long to wait. */
    public long reserve(long now, long permits, long maxWait) {
        idle(now);
        long wait = balance >= 0 ? 0 : rate.microsFor(-balance);
        if (wait <= maxWait) {
            long cost = rate.units(permits);
            if (cost - balance > MAX_DEBT) {
                throw new IllegalArgumentException(
                        permits + " permits cannot be waited for: at this rate they would take "
                                + rate.microsFor(cost) / 1_000_000 + " seconds");
            }
            lastUsed = Math.min(cost, cold);
            lastCost = area(cold) - area(cold - lastUsed) + cost - lastUsed;
            cold -= lastUsed;
            balance -= lastCost;
            reservations++;
        }
        return wait;
    }

    /** The number of the last reservation, for {@link #undo}. */
    public long lastReservation() {
        return reservations;
    }

    /** Gives back what a reservation took, if nothing was reserved or changed since. */
    public void undo(long now, long reservation) {
        if (reservation != reservations) {
            return;
        }
        idle(now);
        reservations++;
        cold = Math.min(maxCold, cold + lastUsed);
        gain(lastCost);
    }

    /**
     * Goes on at another rate. The debt stays the same number of permits, and so does what was saved, up to one second's
     * worth; a pacer that was half cold is half cold.
     */
    public void change(long now, Rate next) {
        check(next, warmUpMicros);
        idle(now);
        long debt = next.converted(Math.max(0, -balance), rate);
        if (debt > MAX_DEBT) {
            throw new IllegalArgumentException("cannot change to this rate now: to pay for the "
                    + rate.permits(-balance) + " permits that were taken ahead would take "
                    + next.microsFor(debt) / 1_000_000 + " seconds or more");
        }
        long nextCold = warmUpMicros * next.speed;
        cold = maxCold == 0 ? 0 : Rate.multiplyDivideUp(cold, nextCold, maxCold);
        maxCold = nextCold;
        maxSaved = warmUpMicros == 0 ? SAVED_MICROS * next.speed : 0;
        balance = balance < 0 ? -debt : saved(next);
        rate = next;
        reservations++;
    }

    /** The weight at another rate of what is saved, rounded down. */
    private long saved(Rate next) {
        long up = next.converted(balance, rate);
        boolean rounded = rate.converted(up, next) != balance;
        return Math.min(maxSaved, rounded ? up - 1 : up);
    }

    /** Lets time pass: first debt is worked off, then idle time is saved, or cools. */
    private void idle(long now) {
        if (now <= last) {
            return;
        }
        long elapsed = now - last;
        long room = maxSaved + maxCold - balance - cold;
        gain(elapsed >= rate.microsFor(room) ? room : elapsed * rate.speed);
        last = now;
    }

    private void gain(long units) {
        long toBalance = Math.min(units, maxSaved - balance);
        balance += toBalance;
        cold = Math.min(maxCold, cold + units - toBalance);
    }

    /** The area under the curve from 0 to {@code coldness}. */
    private long area(long coldness) {
        return coldness <= maxCold / 2
                ? coldness
                : Rate.multiplyDivideUp(2 * coldness, coldness, maxCold) - coldness + maxCold / 2;
    }
}
