package dev.sluice.algorithm;

/**
 * Which limit of a limiter this is, while the limits change.
 *
 * @param id stays the same as long as a limit continues the counts of the one before it
 * @param era changes when it counts in another way, so that permits taken before cannot be given back any more
 */
public record Lineage(long id, long era) {
    /** That of a limit that was there from the beginning. */
    public static final Lineage FIRST = new Lineage(0, 0);

    /** The same limit, which counts in another way from now on. */
    public Lineage nextEra() {
        return new Lineage(id, era + 1);
    }
}
