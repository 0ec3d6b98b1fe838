package dev.sluice.server.metrics;

import dev.sluice.Decision;
import dev.sluice.Decision.Source;
import dev.sluice.Outcome;
import dev.sluice.Ticker;
import dev.sluice.rules.OnExceed;
import dev.sluice.rules.Request;
import dev.sluice.rules.RuleDecision;
import dev.sluice.rules.Verdict;
import dev.sluice.rules.VerdictListener;
import dev.sluice.server.envoy.DescriptorHits;
import dev.sluice.server.envoy.RateLimitListener;
import dev.sluice.server.envoy.file.LimitPath;
import dev.sluice.server.history.Column;
import dev.sluice.server.history.Counted;
import dev.sluice.server.history.KeyWatch;
import dev.sluice.server.history.Row;
import java.time.Duration;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts verdicts, and what was decided for Envoy without rules, in the same counters.
 *
 * <p>Every check costs an addition for the verdict, a look-up and an addition for each rule, and two additions for the
 * time it took. Only denials cost more, and no denial ever waits.
 */
public final class VerdictCounters implements VerdictListener, RateLimitListener {
    /** A rule that lets requests wait has made one wait if its verdict took longer than this. */
    private static final long WAITED_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private static final Duration OFFENDERS_PERIOD = Duration.ofMinutes(10);
    private static final int MAX_SHOWN_RULES = 200;
    private static final int MAX_RULES = 1000;
    private static final int MAX_DESCRIPTORS = 200;

    final RuleCounters byRule = new RuleCounters(MAX_SHOWN_RULES, MAX_RULES);
    final DescriptorCounters descriptors = new DescriptorCounters(MAX_DESCRIPTORS);
    final CheckLatency latency = new CheckLatency();
    final Offenders offenders = new Offenders(OFFENDERS_PERIOD, System::nanoTime);
    final LongAdder allowed = new LongAdder();
    final LongAdder denied = new LongAdder();
    final LongAdder unmatched = new LongAdder();
    final LongAdder degraded = new LongAdder();
    /** Requests that a failure policy decided. */
    final LongAdder failed = new LongAdder();

    final LongAdder waited = new LongAdder();
    private final KeyWatch keys = new KeyWatch(Ticker.system());
    private final Map<Source, LongAdder> sources = new EnumMap<>(Source.class);
    private final Source usual;
    private final DenialListener denials;

    /** With the source that most decisions have, which is not counted. */
    public VerdictCounters(DenialListener denials, Source usual) {
        this.denials = denials;
        this.usual = usual;
        for (Source source : Source.values()) {
            sources.put(source, new LongAdder());
        }
    }

    /** Sets the names of the rules. A name that stays keeps its counts; the counts of one that goes are lost. */
    public void rules(Collection<String> names) {
        byRule.rules(names);
    }

    /** Sets the limits for Envoy, likewise. */
    public void limits(Collection<LimitPath> limits) {
        descriptors.limits(limits);
        byRule.descriptors(limits.stream().map(LimitPath::name).toList());
    }

    /** The keys that are denied most. */
    public Offenders offenders() {
        return offenders;
    }

    /** The keys that come most often and are denied most often at the moment. */
    public KeyWatch keys() {
        return keys;
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
        boolean byPolicy = false;
        boolean delayed = false;
        for (int i = 0; i < decisions.size(); i++) {
            RuleDecision decision = decisions.get(i);
            String rule = decision.rule().name();
            Decision whole = decision.decision();
            byRule.count(rule, whole.outcome());
            keys.decided(rule, decision.key());
            if (whole.source() != usual) {
                count(whole.source());
                boolean blocked = whole.source() == Source.LOCAL && whole.limit() == 0; // by an admin, not by a store
                if (!blocked && isInPlaceOfStore(whole.source())) {
                    byRule.failed(rule);
                    byPolicy = true;
                }
            }
            if (decision.denies()) {
                denied(rule, decision.key(), whole.outcome(), whole.retryAfterMicros());
            } else if (decision.degrades()) {
                byRule.degraded(rule);
            } else if (whole.delayMicros() > 0 && verdict.allowed()) {
                byRule.waited(rule);
                delayed = true;
            }
        }
        if (byPolicy) {
            failed.increment();
        }
        if (delayed) {
            waited.increment();
        }
    }

    private void count(Source source) {
        LongAdder counter = sources.get(source);
        if (counter != null) {
            counter.increment();
        }
    }

    /** Whether a decision of this source, which is not the usual one, was made because the store did not answer. */
    private static boolean isInPlaceOfStore(Source source) {
        return source == Source.FAILURE_POLICY || source == Source.LOCAL;
    }

    /** Records the time from the arrival of a check to its verdict. Allocates nothing. */
    public void took(long nanos) {
        latency.record(nanos);
    }

    /** The same, with the verdict, and counts who waited. */
    public void took(long nanos, Verdict verdict) {
        latency.record(nanos);
        if (nanos < WAITED_NANOS || !verdict.allowed()) {
            return;
        }
        boolean any = false;
        for (RuleDecision decision : verdict.decisions()) {
            if (decision.rule().onExceed().action() == OnExceed.Action.WAIT) {
                byRule.waited(decision.rule().name());
                any = true;
            }
        }
        if (any) {
            waited.increment();
        }
    }

    /** What was counted of requests as a whole, by {@link Column}. */
    private long[] requests(long errors) {
        long[] totals = new long[Column.values().length];
        totals[Column.ALLOWED.index()] = allowed.sum();
        totals[Column.DENIED.index()] = denied.sum();
        totals[Column.WAITED.index()] = waited.sum();
        totals[Column.DEGRADED.index()] = degraded.sum();
        totals[Column.FAILED.index()] = failed.sum();
        totals[Column.UNMATCHED.index()] = unmatched.sum();
        totals[Column.ERRORS.index()] = errors;
        return totals;
    }

    /** Passes on all counts, for the history. */
    public void read(Counted.Reader reader, long errors) {
        reader.row(Row.REQUESTS, requests(errors));
        reader.row(
                Row.SOURCES,
                Row.SOURCE_COLUMNS.stream()
                        .mapToLong(source ->
                                Objects.requireNonNull(sources.get(source)).sum())
                        .toArray());
        reader.row(Row.TIMES, latency.totals());
        byRule.read(reader);
    }

    @Override
    public void counted(DescriptorHits hits) {
        descriptors.count(hits);
        String name = hits.path().name();
        keys.decided(name, hits.key());
        if (hits.source() != usual) {
            count(hits.source());
            if (!hits.isUnlimited() && isInPlaceOfStore(hits.source())) {
                byRule.failed(name);
                failed.increment();
            }
        }
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
        keys.denied(rule, key);
        if (denials.isListening()) {
            denials.denied(rule, key, outcome.name().toLowerCase(Locale.ROOT), millis(retryAfterMicros));
        }
    }

    /** Milliseconds, rounded up; -1 for never. */
    private static long millis(long micros) {
        return micros == Decision.NEVER_MICROS ? -1 : TimeUnit.MICROSECONDS.toMillis(micros + 999);
    }
}
