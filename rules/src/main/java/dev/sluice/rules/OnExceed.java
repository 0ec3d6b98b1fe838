package dev.sluice.rules;

import java.time.Duration;

/**
 * What happens to a request that is over the limit of a rule.
 *
 * @param maxWait how long it may wait; zero unless it waits
 */
public record OnExceed(Action action, Duration maxWait) {
    /** The longest wait. */
    public static final Duration MAX_WAIT = Duration.ofMinutes(10);

    /** It is denied. */
    public static final OnExceed REJECT = new OnExceed(Action.REJECT, Duration.ZERO);

    /** It goes ahead, and the verdict says that it should make do with less. */
    public static final OnExceed DEGRADE = new OnExceed(Action.DEGRADE, Duration.ZERO);

    /** It goes ahead; the rule only reports that it would have denied it. */
    public static final OnExceed SHADOW = new OnExceed(Action.SHADOW, Duration.ZERO);

    /** The four ways. */
    public enum Action {
        REJECT,
        WAIT,
        DEGRADE,
        SHADOW
    }

    public OnExceed {
        boolean waits = !maxWait.isZero();
        if (waits != (action == Action.WAIT) || maxWait.isNegative() || maxWait.compareTo(MAX_WAIT) > 0) {
            throw new IllegalArgumentException(
                    "a wait must be longer than zero and at most ten minutes, and only WAIT has one, was " + action
                            + " " + maxWait);
        }
    }

    /** It waits up to {@code maxWait}, and is denied at once if it would have to wait longer. */
    public static OnExceed waitUpTo(Duration maxWait) {
        return new OnExceed(Action.WAIT, maxWait);
    }
}
