package dev.sluice.simulate.replay;

import dev.sluice.Limit;
import dev.sluice.ManualClock;
import dev.sluice.Outcome;
import dev.sluice.Store;
import dev.sluice.StoreBuilder;
import dev.sluice.StoreUsage;
import dev.sluice.rules.OnExceed;
import dev.sluice.rules.Request;
import dev.sluice.rules.RequestTemplate;
import dev.sluice.rules.Rule;
import dev.sluice.rules.RuleDecision;
import dev.sluice.rules.RuleSet;
import dev.sluice.rules.StatusConditions;
import dev.sluice.rules.Verdict;
import dev.sluice.rules.engine.RuleEngine;
import dev.sluice.simulate.log.LogAttributes;
import dev.sluice.simulate.log.LogEntry;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * Decides the requests of a log by rules, with the engine and the store that a server has, on the clock of the log.
 *
 * <p><b>Time.</b> The clock goes to the time of each request, and stops on the way wherever something is due: a request that
 * waits is decided at its own instant. A request that is older than one before it is decided at the time of the latter, as
 * every limiter here takes a clock that goes backwards: no time has passed.
 *
 * <p><b>What a log does not show.</b> Each request comes as it came: a client that would have been denied does not stop,
 * slow down or try again. Times in whole seconds put all requests of a second at its start.
 *
 * <p>It is for one thread.
 */
public final class Replay implements AutoCloseable {
    private final ReplayRules rules;
    private final RequestTemplate template;
    /** The place of the cost among the attributes; -1 if there is none. */
    private final int costAt;

    private final ManualClock clock = new ManualClock();
    private final Store store;
    private final StatusConditions statuses;
    private final RuleEngine engine;
    /** Whether the response of a request matters to a rule. */
    private final boolean settles;

    private final Map<String, RuleTally> tallies = new LinkedHashMap<>();
    private final Series series = new Series();
    private long nowMicros;
    private long firstMicros = -1;
    private long requests;
    private long allowed;
    private long denied;
    private long degraded;
    private long waited;

    /**
     * A replay.
     *
     * @param attributes the attributes that the entries have
     */
    public Replay(ReplayRules rules, LogAttributes attributes) {
        this(rules, attributes, Store.builder());
    }

    /** The same in a store of this kind, on the clock of the log. */
    Replay(ReplayRules rules, LogAttributes attributes, StoreBuilder storeOptions) {
        this.rules = rules;
        this.template = new RequestTemplate(attributes.names());
        this.costAt = attributes.names().indexOf(LogAttributes.COST);
        this.store = storeOptions.clock(clock).build();
        this.statuses = StatusConditions.of(rules.rules());
        RuleSet checked = statuses.rules();
        this.engine = new RuleEngine(store, checked, this::instant, clock, clock);
        this.settles = !statuses.isEmpty() || rules.rules().rules().stream().anyMatch(ReplayRules::holds);
        checked.rules().forEach(rule -> tallies.put(rule.name(), new RuleTally(rule)));
    }

    private Instant instant() {
        return Instant.EPOCH.plus(nowMicros, ChronoUnit.MICROS);
    }

    /** Decides a request. The verdict is there at once, unless the request waits; then it comes with a later entry. */
    public CompletableFuture<Verdict> decide(LogEntry entry) {
        advanceTo(entry.timeMicros());
        long atMicros = nowMicros;
        firstMicros = firstMicros < 0 ? atMicros : firstMicros;
        requests++;
        series.request(atMicros);
        CompletableFuture<Verdict> verdict = engine.check(request(entry));
        if (verdict.isDone()) {
            decided(entry, verdict.join(), atMicros);
        } else {
            verdict.thenAccept(later -> decided(entry, later, atMicros));
        }
        return verdict;
    }

    private void advanceTo(long micros) {
        if (micros > nowMicros) {
            clock.advance(Duration.of(micros - nowMicros, ChronoUnit.MICROS));
            nowMicros = micros;
        }
    }

    /** What a line of a recording says of its cost is no attribute. */
    private Request request(LogEntry entry) {
        String cost = costAt < 0 ? null : entry.value(costAt);
        return template.request(cost == null ? 1 : cost(cost), i -> i == costAt ? null : entry.value(i));
    }

    private static long cost(String text) {
        if (!text.matches("\\d{1,16}") || Long.parseLong(text) > Limit.MAX_PERMITS) {
            throw new ReplayException("the cost of a request must be a whole number from 0 to " + Limit.MAX_PERMITS
                    + ", was '" + text + "'");
        }
        return Long.parseLong(text);
    }

    private void decided(LogEntry entry, Verdict verdict, long atMicros) {
        long waitedMicros = clock.nanos() / 1000 - atMicros;
        List<RuleDecision> decisions = verdict.decisions();
        for (int i = 0; i < decisions.size(); i++) {
            RuleDecision decision = decisions.get(i);
            tally(decision.rule()).decided(decision, atMicros, waitedMicros);
        }
        if (!verdict.allowed()) {
            denied++;
            series.stopped(atMicros);
            return;
        }
        allowed++;
        degraded += verdict.degraded() ? 1 : 0;
        if (waitedMicros > 0 || verdict.delayMicros() > 0) {
            waited++;
            series.waited(atMicros);
        }
        if (settles) {
            settle(entry, verdict);
        }
    }

    private RuleTally tally(Rule rule) {
        RuleTally tally = tallies.get(rule.name());
        return tally != null ? tally : tallies.computeIfAbsent(rule.name(), unseen -> new RuleTally(rule));
    }

    /** Does what the response brings about: refunds by status, and holds that end. */
    private void settle(LogEntry entry, Verdict verdict) {
        for (RuleDecision decision : verdict.decisions()) {
            if (decision.decision().outcome() != Outcome.ALLOWED) {
                continue;
            }
            if (!statuses.matches(decision.rule().name(), entry.status())) {
                decision.limiter().refundAsync(decision.key(), decision.decision());
            } else if (decision.limiter().limits().stream().anyMatch(limit -> limit.holds())) {
                clock.schedule(
                        entry.durationMicros(),
                        () -> decision.limiter().releaseAsync(decision.key(), decision.decision()));
            }
        }
    }

    /** Lets those who still wait wait to the end, and says what came of it all. */
    public ReplayResult finish() {
        clock.advance(OnExceed.MAX_WAIT);
        StoreUsage usage = store.usage();
        return new ReplayResult(
                rules.name(),
                requests,
                Math.max(0, firstMicros),
                nowMicros,
                allowed,
                denied,
                degraded,
                waited,
                usage.atBound(),
                tallies.values().stream().map(RuleTally::result).toList(),
                series);
    }

    @Override
    public void close() {
        store.close();
    }
}
