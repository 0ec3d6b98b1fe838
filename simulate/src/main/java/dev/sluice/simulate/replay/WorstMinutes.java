package dev.sluice.simulate.replay;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** The minutes in which most was stopped. What is told late, after a wait, counts in the minute when it is told. */
final class WorstMinutes {
    private static final long MINUTE = 60_000_000;
    private static final int KEPT = 5;

    private final List<RuleResult.Moment> worst = new ArrayList<>();
    private long minute = Long.MIN_VALUE;
    private long stopped;
    private String key = "";
    private long ofKey;

    /** A request was stopped; it was the {@code ofItsKey}th of its key in this minute. */
    void stopped(long atMicros, String itsKey, long ofItsKey) {
        long now = Math.max(minute, Math.floorDiv(atMicros, MINUTE));
        if (now != minute) {
            end();
            minute = now;
        }
        stopped++;
        if (ofItsKey > ofKey) {
            key = itsKey;
            ofKey = ofItsKey;
        }
    }

    private void end() {
        if (stopped > 0) {
            worst.add(new RuleResult.Moment(minute * MINUTE, stopped, key, ofKey));
            worst.sort(Comparator.comparingLong(RuleResult.Moment::stopped)
                    .reversed()
                    .thenComparingLong(RuleResult.Moment::startMicros));
            if (worst.size() > KEPT) {
                worst.remove(KEPT);
            }
        }
        stopped = 0;
        key = "";
        ofKey = 0;
    }

    /** The worst minutes, the worst first. */
    List<RuleResult.Moment> worst() {
        end();
        return List.copyOf(worst);
    }
}
