package dev.sluice.model;

import dev.sluice.Decision;
import java.util.function.LongPredicate;

/** Finds instants and amounts by trying them, so that the models need no formula that could be wrong. */
final class Search {
    private static final long HORIZON = 1L << 54;

    private Search() {}

    /**
     * Microseconds from {@code now} to the first instant at which {@code holds}, given that it goes on holding from
     * then on; {@link Decision#NEVER_MICROS} if it never does.
     */
    static long microsUntil(long now, LongPredicate holds) {
        if (holds.test(now)) {
            return 0;
        }
        long after = 1;
        while (!holds.test(now + after)) {
            after *= 2;
            if (after > HORIZON) {
                return Decision.NEVER_MICROS;
            }
        }
        return 1 + largest(after / 2, after - 1, micros -> !holds.test(now + micros));
    }

    /** The largest amount from {@code low} to {@code high} that {@code fits}, given that {@code low} does. */
    static long largest(long low, long high, LongPredicate fits) {
        long fit = low;
        long limit = high;
        while (fit < limit) {
            long middle = fit + (limit - fit + 1) / 2;
            if (fits.test(middle)) {
                fit = middle;
            } else {
                limit = middle - 1;
            }
        }
        return fit;
    }
}
