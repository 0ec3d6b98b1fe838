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
 */
public final class Pace {
    private static final long SAVED_MICROS = 1_000_000;
    private static final long MAX_DEBT = 1L << 60;

    private final Rate rate;
    private final long maxSaved;
    private final long maxCold;
    private long balance;
    private long cold;
    private long last;

    /** A pace at this rate from now on; it starts cold if there is a warm-up. */
    public Pace(Rate rate, long warmUpMicros, long now) {
        if (warmUpMicros < 0 || warmUpMicros > (1L << 53) / rate.speed) {
            throw new IllegalArgumentException("warm-up must be 0 to " + (1L << 53) / rate.speed
                    + " microseconds at this rate, was " + warmUpMicros);
        }
        this.rate = rate;
        this.maxCold = warmUpMicros * rate.speed;
        this.maxSaved = warmUpMicros == 0 ? SAVED_MICROS * rate.speed : 0;
        this.cold = maxCold;
        this.last = now;
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
            balance -= warmed(cost);
        }
        return wait;
    }

    /** Lets time pass: first debt is worked off, then idle time is saved, or cools. */
    private void idle(long now) {
        if (now <= last) {
            return;
        }
        long elapsed = now - last;
        long room = maxSaved + maxCold - balance - cold;
        long gained = elapsed >= rate.microsFor(room) ? room : elapsed * rate.speed;
        long toBalance = Math.min(gained, maxSaved - balance);
        balance += toBalance;
        cold = Math.min(maxCold, cold + gained - toBalance);
        last = now;
    }

    /** What {@code cost} comes to at the present coldness, which it uses up. */
    private long warmed(long cost) {
        long used = Math.min(cost, cold);
        long area = area(cold) - area(cold - used);
        cold -= used;
        return area + cost - used;
    }

    /** The area under the curve from 0 to {@code coldness}. */
    private long area(long coldness) {
        return coldness <= maxCold / 2
                ? coldness
                : Rate.multiplyDivideUp(2 * coldness, coldness, maxCold) - coldness + maxCold / 2;
    }
}
