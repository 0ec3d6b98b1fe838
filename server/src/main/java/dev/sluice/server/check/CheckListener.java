package dev.sluice.server.check;

import dev.sluice.rules.Verdict;
import dev.sluice.server.web.Exchange;
import java.util.List;

/** Hears of every request to the data port that the rules decided. Keep it quick. */
public interface CheckListener {
    /** Hears nothing. */
    CheckListener NONE = new CheckListener() {
        @Override
        public void decided(Exchange exchange, long beganNanos, Verdict verdict) {}

        @Override
        public void decided(Exchange exchange, long beganNanos, List<Verdict> verdicts) {}
    };

    /**
     * A check was decided.
     *
     * @param beganNanos when it came, by {@link System#nanoTime}
     */
    void decided(Exchange exchange, long beganNanos, Verdict verdict);

    /** A list of checks was decided. */
    void decided(Exchange exchange, long beganNanos, List<Verdict> verdicts);
}
