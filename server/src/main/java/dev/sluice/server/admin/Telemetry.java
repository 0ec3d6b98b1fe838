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
 * Counts what is decided.
 *
 * <p>What every check pays is an addition for the verdict, a look-up and an addition for each rule, and two additions for
 * the time it took. Only denials pay more, and no denial ever waits.
 */
final class Telemetry implements VerdictListener {
    private static final Duration OFFENDERS_PERIOD = Duration.ofMinutes(10);
    private static final int MOST_RULES = 200;

    final RuleTally byRule = new RuleTally(MOST_RULES);
    final Latency latency = new Latency();
    final Offenders offenders = new Offenders(OFFENDERS_PERIOD, System::nanoTime);
    final LongAdder allowed = new LongAdder();
    final LongAdder denied = new LongAdder();
    final LongAdder unmatched = new LongAdder();
    final LongAdder degraded = new LongAdder();
    private final EventStream events;

    Telemetry(EventStream events) {
        this.events = events;
    }

    @Override
    public void decided(Request request, Verdict verdict) {
        List<RuleDecision> rulings = verdict.decisions();
        if (!verdict.allowed()) {
            denied.increment();
        } else if (rulings.isEmpty()) {
            unmatched.increment();
        } else {
            allowed.increment();
        }
        if (verdict.degraded()) {
            degraded.increment();
        }
        for (int i = 0; i < rulings.size(); i++) {
            RuleDecision ruling = rulings.get(i);
            byRule.count(ruling.rule().name(), ruling.decision().outcome());
            if (ruling.denies()) {
                denied(ruling);
            }
        }
    }

    private void denied(RuleDecision ruling) {
        String rule = ruling.rule().name();
        offenders.denied(rule, ruling.key());
        if (events.clients() > 0) {
            Decision decision = ruling.decision();
            events.denied(rule, ruling.key(), decision.outcome().name().toLowerCase(Locale.ROOT), millis(decision));
        }
    }

    /** Rounded up; -1 for never, which no number of milliseconds is. */
    private static long millis(Decision decision) {
        long micros = decision.retryAfterMicros();
        return micros == Decision.NEVER_MICROS ? -1 : TimeUnit.MICROSECONDS.toMillis(micros + 999);
    }
}
