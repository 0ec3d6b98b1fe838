package dev.sluice.rules;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What all rules together say about a request.
 *
 * @param allowed whether it may go ahead
 * @param degraded whether it should make do with less
 * @param rulings what each rule that applies says, in the order of the rules; unlimited ones say nothing
 * @param decisive the one that denies for longest, else the one with the least left of its limit, those that only watch
 *     last; null if no rule applies
 */
public record Verdict(
        boolean allowed,
        boolean degraded,
        List<Ruling> rulings,
        @Nullable Ruling decisive) {
    public Verdict {
        rulings = List.copyOf(rulings);
    }

    /** No rule applies. */
    static final Verdict FREE = new Verdict(true, false, List.of(), null);

    /** How long to wait before starting the work, in microseconds; more than zero only for limits that queue. */
    public long delayMicros() {
        long delay = 0;
        for (Ruling ruling : rulings) {
            delay = Math.max(delay, ruling.decision().delayMicros());
        }
        return allowed ? delay : 0;
    }

    /** The verdict that follows from {@code rulings}. */
    public static Verdict of(List<Ruling> rulings) {
        if (rulings.isEmpty()) {
            return FREE;
        }
        boolean allowed = true;
        boolean degraded = false;
        Ruling decisive = rulings.get(0);
        for (int i = 0; i < rulings.size(); i++) {
            Ruling ruling = rulings.get(i);
            allowed &= !ruling.denies();
            degraded |= ruling.degrades();
            if (i > 0 && weighsMore(ruling, decisive)) {
                decisive = ruling;
            }
        }
        return new Verdict(allowed, degraded && allowed, rulings, decisive);
    }

    private static boolean weighsMore(Ruling one, Ruling other) {
        int difference = weight(one) - weight(other);
        if (difference != 0) {
            return difference > 0;
        }
        return one.denies()
                ? one.decision().retryAfterMicros() > other.decision().retryAfterMicros()
                : one.remainingShare() < other.remainingShare();
    }

    private static int weight(Ruling ruling) {
        if (ruling.denies()) {
            return 3;
        }
        return ruling.degrades() ? 2 : ruling.rule().onExceed().action() == OnExceed.Action.SHADOW ? 0 : 1;
    }
}
