package dev.sluice.server.history;

import java.util.Locale;

/** What is counted of a rule, and of requests as a whole, in the order in which it is shown. */
public enum Column {
    ALLOWED(0),
    DENIED(1),
    SHADOWED(2),
    /** Allowed after a wait; counted as allowed, too. */
    WAITED(3),
    SHED(4),
    DEGRADED(5),
    NEVER(6),
    /** Decided without the store, by a failure policy; counted by its outcome, too. */
    FAILED(7),
    /** Requests to which no rule applies; counted of requests as a whole only. */
    UNMATCHED(8),
    /** Responses with a status of 500 or more, and calls with such a code; counted of requests as a whole only. */
    ERRORS(9);

    private final int index;

    Column(int index) {
        this.index = index;
    }

    /** Its place in the counts of a row. Servers of other versions read it, too: no column gets another place. */
    public int index() {
        return index;
    }

    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
