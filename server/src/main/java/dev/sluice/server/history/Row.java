package dev.sluice.server.history;

import dev.sluice.Decision.Source;
import dev.sluice.OnFailure;
import java.util.List;

/** The rows of a slot that are not rules. Their numbers are the same on all servers. */
public enum Row {
    /** Requests as a whole, by {@link Column}. */
    REQUESTS(0),
    /** Decisions by {@link Source}. */
    SOURCES(1),
    /** Decisions by the bucket of their time, as {@link Quantiles} has them. */
    TIMES(2),
    /** Requests that the service decided as it should, and those that it did not: {@link #GOOD}, {@link #BAD}. */
    SERVICE(3),
    /** The most requests that were under way at once. */
    UNDER_WAY(4),
    /** Requests that a failure policy decided, by {@link OnFailure}. */
    POLICY(5);

    /** The columns of {@link #SOURCES}. */
    public static final List<Source> SOURCE_COLUMNS =
            List.of(Source.LOCAL, Source.REDIS, Source.BATCH, Source.DENIAL_CACHE, Source.FAILURE_POLICY);
    /** The columns of {@link #POLICY}. */
    public static final List<OnFailure> POLICY_COLUMNS = List.of(OnFailure.ALLOW, OnFailure.DENY, OnFailure.LOCAL);

    public static final int GOOD = 0;
    public static final int BAD = 1;

    /** The number of the first row that is a rule. */
    static final int FIRST_RULE = 8;

    private final int number;

    Row(int number) {
        this.number = number;
    }

    /** Servers of other versions read it, too: no row gets another number. */
    int number() {
        return number;
    }
}
