package dev.sluice.algorithm;

/** A state that counts how often it was reset: what was charged before a reset is not given back after it. */
abstract class ResettableState extends State {
    private int resets;

    @Override
    public final long mark() {
        return resets;
    }

    /** Whether permits with this mark were charged since the last reset. */
    final boolean isCurrent(long mark) {
        return mark == resets;
    }

    /** Notes that this state takes the place of another, and gives back what was charged there. */
    final void continues(ResettableState before) {
        resets = before.resets;
    }

    @Override
    public final State cleared() {
        ResettableState cleared = (ResettableState) algorithm().fresh();
        cleared.resets = resets + 1;
        return cleared;
    }
}
