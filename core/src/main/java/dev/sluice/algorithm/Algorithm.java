package dev.sluice.algorithm;

/** The numbers of one limit, and a factory of states that follow them. */
public interface Algorithm {
    /** The state of a key that has used nothing. */
    State fresh();

    /** The largest number of permits that can be taken at once. */
    long capacity();

    /** Which limit of its limiter this is. */
    Lineage lineage();

    /**
     * The state {@code old}, which followed other numbers, under these: what was used stays used. Of another algorithm
     * only the number of permits in use is known; they count as taken now.
     */
    default State migrate(State old, long now) {
        State state = fresh();
        long used = old.used(now);
        if (used > 0) {
            state.take(now, used);
        }
        return state;
    }
}
