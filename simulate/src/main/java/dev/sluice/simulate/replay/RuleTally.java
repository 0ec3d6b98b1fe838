package dev.sluice.simulate.replay;

import dev.sluice.Outcome;
import dev.sluice.rules.OnExceed;
import dev.sluice.rules.Rule;
import dev.sluice.rules.RuleDecision;
import java.util.stream.Collectors;

/** Counts what one rule decides. */
final class RuleTally {
    private static final int TOP = 10;

    private final Rule rule;
    private final KeyTally keys = new KeyTally();
    private final WorstMinutes minutes = new WorstMinutes();
    private final Series series = new Series();
    private long matched;
    private long allowed;
    private long denied;
    private long shed;
    private long degraded;
    private long shadowed;
    private long waited;
    private long totalWaitMicros;
    private long longestWaitMicros;

    RuleTally(Rule rule) {
        this.rule = rule;
    }

    /**
     * Counts a decision.
     *
     * @param atMicros when the request came
     * @param waitedMicros how long it waited for all rules together
     */
    void decided(RuleDecision decision, long atMicros, long waitedMicros) {
        matched++;
        KeyTally.Counts key = keys.of(decision.key());
        key.requested(atMicros);
        series.request(atMicros);
        Outcome outcome = decision.decision().outcome();
        if (outcome == Outcome.ALLOWED) {
            allowed++;
            long wait = decision.decision().delayMicros()
                    + (rule.onExceed().action() == OnExceed.Action.WAIT ? waitedMicros : 0);
            if (wait > 0) {
                waited(key, atMicros, wait);
            }
            return;
        }
        if (outcome == Outcome.SHADOWED) {
            shadowed++;
        } else if (decision.degrades()) {
            degraded++;
        } else if (outcome == Outcome.SHED) {
            shed++;
        } else {
            denied++;
        }
        minutes.stopped(atMicros, decision.key(), key.stopped(atMicros));
        series.stopped(atMicros);
    }

    private void waited(KeyTally.Counts key, long atMicros, long micros) {
        waited++;
        key.waited++;
        totalWaitMicros += micros;
        longestWaitMicros = Math.max(longestWaitMicros, micros);
        series.waited(atMicros);
    }

    RuleResult result() {
        return new RuleResult(
                rule.name(),
                summary(),
                rule.onExceed().action(),
                matched,
                allowed,
                denied,
                shed,
                degraded,
                shadowed,
                waited,
                totalWaitMicros,
                longestWaitMicros,
                keys.keys(),
                keys.hit(),
                keys.isComplete(),
                keys.top(TOP),
                minutes.worst(),
                keys.rates(),
                series);
    }

    private String summary() {
        String limits = rule.limits().isEmpty()
                ? "unlimited"
                : rule.limits().stream().map(limit -> limit.text()).collect(Collectors.joining(" and "));
        String key = rule.key().isEmpty() ? "" : " by " + String.join(", ", rule.key());
        String when = rule.when().stream().map(Object::toString).collect(Collectors.joining(", "));
        return limits + key + (when.isEmpty() ? "" : ", when " + when);
    }
}
