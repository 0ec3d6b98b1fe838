package dev.sluice.server.admin;

import dev.sluice.Decision;
import dev.sluice.Outcome;
import dev.sluice.rules.Request;
import dev.sluice.rules.RuleDecision;
import dev.sluice.rules.Verdict;
import dev.sluice.rules.VerdictListener;
import dev.sluice.server.envoy.DescriptorHits;
import dev.sluice.server.envoy.RateLimitListener;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts verdicts, and what was decided for Envoy without rules, in the same counters.
 *
 * <p>Every check costs an addition for the verdict, a look-up and an addition for each rule, and two additions for the
 * time it took. Only denials cost more, and no denial ever waits.
 */
final class VerdictCounters implements VerdictListener, RateLimitListener {
    private static final Duration OFFENDERS_PERIOD = Duration.ofMinutes(10);
    private static final int MAX_RULES = 200;
    private static final int MAX_DESCRIPTORS = 200;

    final RuleCounters byRule = new RuleCounters(MAX_RULES);
    final DescriptorCounters descriptors = new DescriptorCounters(MAX_DESCRIPTORS);
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
                Decision whole = decision.decision();
                denied(decision.rule().name(), decision.key(), whole.outcome(), whole.retryAfterMicros());
            }
        }
    }

    @Override
    public void counted(DescriptorHits hits) {
        descriptors.count(hits);
        String name = hits.path().name();
        if (!hits.isOver()) {
            allowed.increment();
            byRule.count(name, Outcome.ALLOWED);
        } else if (hits.mode() == DescriptorHits.Mode.SHADOW) {
            allowed.increment();
            byRule.count(name, Outcome.SHADOWED);
        } else {
            denied.increment();
            byRule.count(name, Outcome.DENIED);
            denied(name, hits.key(), Outcome.DENIED, hits.retryAfterMicros());
        }
    }

    @Override
    public void unmatched() {
        unmatched.increment();
    }

    private void denied(String rule, String key, Outcome outcome, long retryAfterMicros) {
        offenders.denied(rule, key);
        if (events.clients() > 0) {
            events.denied(rule, key, outcome.name().toLowerCase(Locale.ROOT), millis(retryAfterMicros));
        }
    }

    /** Milliseconds, rounded up; -1 for never. */
    private static long millis(long micros) {
        return micros == Decision.NEVER_MICROS ? -1 : TimeUnit.MICROSECONDS.toMillis(micros + 999);
    }
}
