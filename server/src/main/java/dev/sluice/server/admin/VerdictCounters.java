package dev.sluice.server.admin;

import dev.sluice.Decision;
import dev.sluice.rules.Request;
import dev.sluice.rules.RuleDecision;
import dev.sluice.rules.Verdict;
import dev.sluice.rules.VerdictListener;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts verdicts.
 *
 * <p>Every check costs an addition for the verdict, a look-up and an addition for each rule, and two additions for the
 * time it took. Only denials cost more, and no denial ever waits.
 */
final class VerdictCounters implements VerdictListener {
    private static final Duration OFFENDERS_PERIOD = Duration.ofMinutes(10);
    private static final int MAX_RULES = 200;

    final RuleCounters byRule = new RuleCounters(MAX_RULES);
    final CheckLatency latency = new CheckLatency();
    final Offenders offenders = new Offenders(OFFENDERS_PERIOD, System::nanoTime);
    final LongAdder allowed = new LongAdder();
    final LongAdder denied = new LongAdder();
    final LongAdder unmatched = new LongAdder();
    final LongAdder degraded = new LongAdder();
    private final EventStream events;

    VerdictCounters(EventStream events) {
        this.events = events;
    }

    @Override
    public void decided(Request request, Verdict verdict) {
        List<RuleDecision> decisions = verdict.decisions();
        if (!verdict.allowed()) {
            denied.increment();
        } else if (decisions.isEmpty()) {
            unmatched.increment();
        } else {
            allowed.increment();
        }
        if (verdict.degraded()) {
            degraded.increment();
        }
        for (int i = 0; i < decisions.size(); i++) {
            RuleDecision decision = decisions.get(i);
            byRule.count(decision.rule().name(), decision.decision().outcome());
            if (decision.denies()) {
                denied(decision);
            }
        }
    }

    private void denied(RuleDecision decision) {
        String rule = decision.rule().name();
        offenders.denied(rule, decision.key());
        if (events.clients() > 0) {
            Decision whole = decision.decision();
            events.denied(rule, decision.key(), whole.outcome().name().toLowerCase(Locale.ROOT), millis(whole));
        }
    }

    /** Milliseconds, rounded up; -1 for never. */
    private static long millis(Decision decision) {
        long micros = decision.retryAfterMicros();
        return micros == Decision.NEVER_MICROS ? -1 : TimeUnit.MICROSECONDS.toMillis(micros + 999);
    }
}
