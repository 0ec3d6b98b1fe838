package dev.sluice.rules.engine;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.Scheduler;
import dev.sluice.Store;
import dev.sluice.Ticker;
import dev.sluice.rules.Explanation;
import dev.sluice.rules.KeyOverride;
import dev.sluice.rules.Request;
import dev.sluice.rules.Rule;
import dev.sluice.rules.RuleCheck;
import dev.sluice.rules.RuleDecision;
import dev.sluice.rules.RuleSet;
import dev.sluice.rules.Verdict;
import dev.sluice.rules.VerdictListener;
import dev.sluice.text.Quoted;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Decides requests by rules.
 *
 * <pre>{@code
 * RuleEngine engine = new RuleEngine(Store.local(), RuleFile.read(Path.of("rules.yaml")));
 * Verdict verdict = engine.check(Request.of(Map.of("ip", "203.0.113.9", "path", "/login"), 1)).join();
 * }</pre>
 *
 * <p>It is safe for use by any number of threads. No call blocks. On a store in memory the verdict is there when the call
 * returns, unless a rule makes the request wait.
 */
public final class RuleEngine {
    private final Store store;
    private final Scheduler scheduler;
    private final KeyOverrides keyOverrides;
    private final ChargeFinder charges;
    private final Decider decider;
    private final UnderWayRequests underWay;
    private final Leases leases = new Leases(this::limiter);
    private final PendingVerdicts pending = new PendingVerdicts();

    private volatile CompiledRules current;

    /** An engine that counts in {@code store}. */
    public RuleEngine(Store store, RuleSet rules) {
        this(store, rules, InstantSource.system());
    }

    /** The same, with another clock for the end of blocks and overrides. */
    public RuleEngine(Store store, RuleSet rules, InstantSource clock) {
        this(store, rules, clock, Scheduler.system(), Ticker.system());
    }

    /** The same, with another clock for waits, and a scheduler that runs on it: those of the store. */
    public RuleEngine(Store store, RuleSet rules, InstantSource clock, Scheduler scheduler, Ticker ticker) {
        this.store = store;
        this.scheduler = scheduler;
        this.keyOverrides = new KeyOverrides(store, clock);
        this.charges = new ChargeFinder(keyOverrides, clock);
        this.decider = new Decider(store, scheduler, ticker);
        this.underWay = new UnderWayRequests(scheduler, ticker, decider);
        this.current = CompiledRules.of(rules, store, Map.of());
    }

    /** The rules in force. */
    public RuleSet rules() {
        return current.rules;
    }

    /**
     * Replaces the rules, for every request that comes after. What was counted under a rule's name stays counted, by its
     * new limits; the counters of rules that are gone are forgotten. If the store refuses one of the rules, nothing
     * changes.
     */
    public void apply(RuleSet rules) {
        replace(rules);
        reconsiderWaits();
    }

    /**
     * Adds a rule after the others, for every request that comes after. To add many one by one is much cheaper than to
     * replace all rules as often.
     *
     * @throws IllegalArgumentException if there is a rule of its name
     */
    public synchronized void add(Rule rule) {
        current = current.with(rule, store);
    }

    private synchronized void replace(RuleSet rules) {
        CompiledRules before = current;
        CompiledRules next;
        try {
            next = CompiledRules.of(rules, store, before.limiters);
        } catch (RuntimeException e) {
            CompiledRules.of(before.rules, store, before.limiters);
            throw e;
        }
        current = next;
        before.limiters.keySet().stream()
                .filter(name -> !next.limiters.containsKey(name))
                .forEach(store::forget);
        keyOverrides.retainRules(name -> next.rule(name) != null);
    }

    /**
     * Ends the waits for several rules at once: those who wait are denied, and so is whoever would have to wait later. Waits
     * for one rule end when the store is closed.
     */
    public void endWaits() {
        decider.endWaits();
        underWay.reconsiderWaits();
    }

    /** Lets those who wait for several rules, or for a rule that is charged later, look again. */
    private void reconsiderWaits() {
        decider.reconsiderWaits();
        underWay.reconsiderWaits();
    }

    /**
     * Forgets all that was counted, and all blocks and overrides of keys: for tests, between one and the next. Those who
     * wait are denied.
     *
     * @throws UnsupportedOperationException if the store is shared with other processes
     */
    public void reset() {
        decider.denyWaiting();
        underWay.endWaits();
        store.reset();
        keyOverrides.retainRules(none -> false);
    }

    /** Adds a listener to every verdict of {@link #check}. */
    public void listener(VerdictListener listener) {
        pending.listener(listener);
    }

    // ---- Deciding

    /**
     * Charges every rule that applies to the request, or none of them. Cancelling the future of a waiting request, or
     * completing it by other means, takes nothing.
     */
    public CompletableFuture<Verdict> check(Request request) {
        return check(request, everyRule -> true);
    }

    /** The same by some of the rules: the others do not apply. */
    public CompletableFuture<Verdict> check(Request request, Predicate<Rule> rules) {
        return pending.withListeners(request, decider.decide(charges.find(current, request, rules)));
    }

    /**
     * Begins with a request: charges every rule that applies, or none, except those that are charged {@linkplain
     * Rule#underWay when it is known what became of the request}. Those must have permits left, and may make the request
     * wait for a place. A request that goes ahead is {@linkplain #settle settled}, or refunded if it does not run.
     */
    public CompletableFuture<Verdict> begin(Request request, Predicate<Rule> rules) {
        CompiledRules compiled = current;
        List<PendingCharge> found = charges.find(compiled, request, rules);
        List<PendingCharge> later = UnderWayRequests.later(found);
        if (later.isEmpty()) {
            return pending.withListeners(request, decider.decide(found));
        }
        CompletableFuture<Verdict> verdict = underWay.begin(compiled, later, found);
        pending.withListeners(request, verdict.thenApply(UnderWayRequests::decided));
        return verdict;
    }

    /**
     * Ends what {@link #begin} began, when it is known what became of the request: charges the rules that are charged then
     * and that the request matters to, and after that frees its place. Settle a verdict once.
     *
     * @param matter which of the rules are to be charged
     * @return completes when they are charged
     */
    public CompletableFuture<Void> settle(Request request, Verdict verdict, Predicate<Rule> matter) {
        return underWay.settle(current, verdict, matter).thenAccept(made -> {
            if (!made.isEmpty()) {
                pending.notifyListeners(request, Verdict.of(made));
            }
        });
    }

    /**
     * Charges each of these rules, or none of them. Their conditions are not looked at; a rule whose key cannot be made
     * of the request does not apply.
     *
     * @throws IllegalArgumentException if there is no rule of a name
     */
    public CompletableFuture<Verdict> check(List<RuleCheck> checks) {
        CompiledRules rules = current;
        List<PendingCharge> found = new ArrayList<>(checks.size());
        for (int i = 0; i < checks.size(); i++) {
            CompiledRule rule = rules.rule(checks.get(i).rule());
            if (rule == null) {
                throw noRule(checks.get(i).rule());
            }
            Request known = rules.withRegion(checks.get(i).request());
            if (rules.hasOneForm(known)) {
                charges.add(rule, known, found);
            } else if (known.isPathReadable()) {
                charges.add(rule, rules.forms(known), found);
            } else {
                found.add(charges.ofUnreadable(known));
            }
        }
        return checks.isEmpty()
                ? decider.decide(found)
                : pending.withListeners(checks.get(0).request(), decider.decide(found));
    }

    /** What {@link #check} would decide now. Takes nothing. */
    public CompletableFuture<Verdict> peek(Request request) {
        return CheckExecution.all(charges.find(current, request, everyRule -> true).stream()
                        .map(charge -> charge.peek().thenApply(charge::decided))
                        .toList())
                .thenApply(Verdict::of);
    }

    /**
     * Completes when the delay of a verdict has passed, by the engine's scheduler; at once if there is none. Cancelling it
     * gives nothing back.
     */
    public CompletableFuture<Verdict> delayed(Verdict verdict) {
        long micros = verdict.delayMicros();
        if (micros == 0) {
            return CompletableFuture.completedFuture(verdict);
        }
        CompletableFuture<Verdict> due = new CompletableFuture<>();
        Runnable cancel = scheduler.schedule(micros, () -> due.complete(verdict));
        due.whenComplete((given, failure) -> cancel.run());
        return pending.counted(due);
    }

    /** How many requests wait: for permits, for their delay to pass, or for the store. */
    public int waiting() {
        return pending.count();
    }

    // ---- Refund and release

    /** Refunds what a verdict took, for a request that did not run. Refund a verdict once. */
    public CompletableFuture<Void> refund(Verdict verdict) {
        return TakenPermits.refund(verdict);
    }

    /** Releases the permits of concurrency limits that a verdict took. Release a verdict once. */
    public CompletableFuture<Void> release(Verdict verdict) {
        return TakenPermits.release(verdict);
    }

    /** The holds of those who ask over a network. */
    public Leases leases() {
        return leases;
    }

    /** A limiter of the rules, or of the override of a key; null if there is none of the name now. */
    private @Nullable Limiter limiter(String name, String key) {
        NamedLimiter ofRules = current.limiters.get(name);
        NamedLimiter named = ofRules == null ? keyOverrides.limiter(name, key) : ofRules;
        return named == null ? null : named.limiter;
    }

    // ---- Looking into it

    /** Which rules apply to a request and why, how each stands, and what would let it through. Takes nothing. */
    public CompletableFuture<Explanation> explain(Request request) {
        CompiledRules rules = current;
        Request known = rules.withRegion(request);
        return new Explainer(known, rules, charges).explain();
    }

    /**
     * How a key of a rule stands: what is left of it, or, if that is nothing, the decision on a request for one permit;
     * null if there is no such rule, if the text is not one of its keys, or if it is unlimited. Overrides by attributes
     * that are not in the key are not seen.
     */
    public CompletableFuture<@Nullable RuleDecision> inspect(String rule, String key) {
        CompiledRule compiled = current.rule(rule);
        Request request = compiled == null ? null : compiled.keyFormat.request(key);
        PendingCharge charge = compiled == null || request == null ? null : charges.of(compiled, request, 100);
        if (compiled == null || charge == null) {
            return CompletableFuture.completedFuture(null);
        }
        CompletableFuture<Decision> own = charge.standing();
        CompletableFuture<Decision> now = compiled.underWay == null
                ? own
                : UnderWayCheck.withExcess(own, compiled.underWay.excess(), charge.key());
        return now.thenApply(decision -> charge.decided(decision));
    }

    /** The rule of this name; null if there is none. */
    public @Nullable Rule rule(String name) {
        CompiledRule compiled = current.rule(name);
        return compiled == null ? null : compiled.rule;
    }

    /** The limiter of a rule; null if there is no such rule or it is unlimited. */
    public @Nullable Limiter limiter(String rule) {
        CompiledRule compiled = current.rule(rule);
        NamedLimiter named = compiled == null ? null : compiled.limiter;
        return named == null ? null : named.limiter;
    }

    /** Resets a key, under the rule and its overrides. Returns whether there is such a rule. */
    public boolean reset(String rule, String key) {
        return resetAsync(rule, key).exceptionally(noAnswer -> true).join();
    }

    /**
     * Resets a key, under the rule and its overrides.
     *
     * @return whether there is such a rule; fails if the store does not answer, and then the key is reset only in this
     *     process
     */
    public CompletableFuture<Boolean> resetAsync(String rule, String key) {
        CompiledRule compiled = current.rule(rule);
        if (compiled == null) {
            return CompletableFuture.completedFuture(false);
        }
        KeyOverrides.Active active = keyOverrides.find(rule, key);
        CompletableFuture<?>[] resets = Stream.concat(
                        compiled.limiters(), Stream.ofNullable(active == null ? null : active.limiter()))
                .map(named -> named.limiter.resetAsync(key))
                .toArray(CompletableFuture<?>[]::new);
        return CompletableFuture.allOf(resets)
                .whenComplete((done, failure) -> reconsiderWaits())
                .thenApply(done -> true);
    }

    // ---- Blocks and overrides of single keys

    /** Denies every request of a key until an instant. */
    public KeyOverride block(String rule, String key, Instant until) {
        return put(new KeyOverride(rule, key, true, List.of(), until));
    }

    /** Puts other limits in force for a key until an instant; none for unlimited. */
    public KeyOverride override(String rule, String key, List<Limit> limits, Instant until) {
        return put(new KeyOverride(rule, key, false, limits, until));
    }

    /** Ends the block or override of a key. Returns whether there was one. */
    public boolean clear(String rule, String key) {
        return keyOverrides.remove(rule, key);
    }

    /** The blocks and overrides in force, the first to end first. */
    public List<KeyOverride> keyOverrides() {
        return keyOverrides.list();
    }

    private KeyOverride put(KeyOverride override) {
        CompiledRule rule = current.rule(override.rule());
        if (rule == null) {
            throw noRule(override.rule());
        }
        keyOverrides.put(override, rule.rule);
        return override;
    }

    private static IllegalArgumentException noRule(String name) {
        return new IllegalArgumentException("there is no rule named " + Quoted.quoted(name));
    }
}
