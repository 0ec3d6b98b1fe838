package dev.sluice.rules;

import dev.sluice.Charge;
import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.OnFailure;
import dev.sluice.Outcome;
import dev.sluice.Store;
import dev.sluice.rules.match.Matches;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
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
 * <p>It is safe for use by any number of threads. No call waits for a store; on one in memory the answer is there when
 * the call returns, unless a rule makes the request wait.
 */
public final class RuleEngine {
    private static final System.Logger LOG = System.getLogger(RuleEngine.class.getName());
    private static final NamedLimiter BLOCKED = new NamedLimiter(
            "blocked",
            Limiter.local(Limit.fixedWindow(1, Duration.ofSeconds(1))),
            OnFailure.DENY,
            List.of(Limit.fixedWindow(1, Duration.ofSeconds(1))));

    private final Store store;
    private final InstantSource clock;
    private final KeyOverrides keyOverrides;
    private final List<VerdictListener> listeners = new CopyOnWriteArrayList<>();
    private volatile CompiledRules snapshot;

    /** An engine that counts in {@code store}. */
    public RuleEngine(Store store, RuleSet rules) {
        this(store, rules, InstantSource.system());
    }

    /** The same, on another clock for blocks and overrides that end. */
    public RuleEngine(Store store, RuleSet rules, InstantSource clock) {
        this.store = store;
        this.clock = clock;
        this.keyOverrides = new KeyOverrides(store::forget);
        this.snapshot = CompiledRules.of(rules, store, Map.of());
    }

    /** The rules in force. */
    public RuleSet rules() {
        return snapshot.rules;
    }

    /**
     * Puts other rules in force, for every request that comes after. What was counted under a rule's name stays counted,
     * by its new limits; of rules that are gone it is forgotten. If the store refuses one of them, nothing changes.
     */
    public synchronized void apply(RuleSet rules) {
        CompiledRules before = snapshot;
        CompiledRules next;
        try {
            next = CompiledRules.of(rules, store, before.counters);
        } catch (RuntimeException e) {
            CompiledRules.of(before.rules, store, before.counters);
            throw e;
        }
        snapshot = next;
        before.counters.keySet().stream()
                .filter(name -> !next.counters.containsKey(name))
                .forEach(store::forget);
        keyOverrides.retain(active -> next.gate(active.order().rule()) != null);
    }

    /** Adds somebody to be told of every verdict of {@link #check}. */
    public void listener(VerdictListener listener) {
        listeners.add(listener);
    }

    // ---- Deciding

    /**
     * Takes what the request asks for from every rule that applies, or from none of them. Cancelling the future of a
     * request that waits takes nothing.
     */
    public CompletableFuture<Verdict> check(Request request) {
        return heard(request, decided(stakes(snapshot, request, everyRule -> true)));
    }

    /** The same by some of the rules: the others do not apply. */
    public CompletableFuture<Verdict> check(Request request, Predicate<Rule> rules) {
        return heard(request, decided(stakes(snapshot, request, rules)));
    }

    /**
     * Takes what is asked of each of these rules, or of none of them. Their conditions are not looked at; a rule whose
     * key cannot be made of the request does not apply.
     *
     * @throws IllegalArgumentException if there is no rule of a name
     */
    public CompletableFuture<Verdict> check(List<RuleCheck> asks) {
        CompiledRules now = snapshot;
        List<PendingCharge> stakes = new ArrayList<>(asks.size());
        for (int i = 0; i < asks.size(); i++) {
            CompiledRule gate = now.gate(asks.get(i).rule());
            if (gate == null) {
                throw noRule(asks.get(i).rule());
            }
            Request known = now.located(asks.get(i).request());
            PendingCharge stake = stake(gate, known, gate.share(known));
            if (stake != null) {
                stakes.add(stake);
            }
        }
        return asks.isEmpty() ? decided(stakes) : heard(asks.get(0).request(), decided(stakes));
    }

    private CompletableFuture<Verdict> heard(Request request, CompletableFuture<Verdict> verdict) {
        if (!listeners.isEmpty()) {
            verdict.whenComplete((given, failure) -> {
                if (given != null) {
                    told(request, given);
                }
            });
        }
        return verdict;
    }

    private CompletableFuture<Verdict> decided(List<PendingCharge> stakes) {
        if (stakes.isEmpty()) {
            return CompletableFuture.completedFuture(Verdict.FREE);
        }
        if (!isPlain(stakes)) {
            return course(stakes);
        }
        if (stakes.size() == 1) {
            PendingCharge only = stakes.get(0);
            return cancellable(only.take().thenApply(decision -> Verdict.of(List.of(only.ruling(decision)))), () -> {});
        }
        List<Charge> charges = new ArrayList<>(stakes.size());
        for (int i = 0; i < stakes.size(); i++) {
            charges.add(stakes.get(i).charge());
        }
        return cancellable(
                store.decideAll(charges).thenApply(decisions -> Verdict.of(rulings(stakes, decisions))), () -> {});
    }

    /** Whether all there is to do is to charge: the common case, which is kept short. */
    private static boolean isPlain(List<PendingCharge> stakes) {
        for (int i = 0; i < stakes.size(); i++) {
            PendingCharge stake = stakes.get(i);
            if (stake.action() != OnExceed.Action.REJECT || stake.blockedMicros() > 0) {
                return false;
            }
        }
        return true;
    }

    private static List<RuleDecision> rulings(List<PendingCharge> stakes, List<Decision> decisions) {
        List<RuleDecision> rulings = new ArrayList<>(stakes.size());
        for (int i = 0; i < stakes.size(); i++) {
            rulings.add(stakes.get(i).ruling(decisions.get(i)));
        }
        return rulings;
    }

    private CompletableFuture<Verdict> course(List<PendingCharge> stakes) {
        CheckExecution course = new CheckExecution(store, stakes);
        return cancellable(course.run(), course::cancel);
    }

    /** The same, with what was taken given back to one who no longer wants it. */
    private CompletableFuture<Verdict> cancellable(CompletableFuture<Verdict> verdict, Runnable cancel) {
        if (verdict.isDone()) {
            return verdict;
        }
        CompletableFuture<Verdict> handed = new CompletableFuture<>();
        verdict.whenComplete((given, failure) -> {
            if (failure != null) {
                handed.completeExceptionally(failure);
            } else if (!handed.complete(given)) {
                refund(given);
            }
        });
        handed.whenComplete((given, failure) -> {
            if (handed.isCancelled()) {
                cancel.run();
            }
        });
        return handed;
    }

    private void told(Request request, Verdict verdict) {
        for (VerdictListener listener : listeners) {
            try {
                listener.decided(request, verdict);
            } catch (RuntimeException e) {
                LOG.log(System.Logger.Level.WARNING, "a listener failed on " + verdict, e);
            }
        }
    }

    /** What {@link #check} would answer now. Takes nothing. */
    public CompletableFuture<Verdict> peek(Request request) {
        return looked(stakes(snapshot, request, everyRule -> true)).thenApply(Verdict::of);
    }

    private static CompletableFuture<List<RuleDecision>> looked(List<PendingCharge> stakes) {
        List<CompletableFuture<RuleDecision>> looks = stakes.stream()
                .map(stake -> stake.look().thenApply(stake::ruling))
                .toList();
        return CompletableFuture.allOf(looks.toArray(CompletableFuture<?>[]::new))
                .thenApply(done -> looks.stream().map(CompletableFuture::join).toList());
    }

    private List<PendingCharge> stakes(CompiledRules now, Request request, Predicate<Rule> rules) {
        Request known = now.located(request);
        Matches matches = now.index.find(known);
        if (matches.count() == 0) {
            return List.of();
        }
        List<PendingCharge> stakes = new ArrayList<>(matches.count());
        for (int i = 0; i < matches.count(); i++) {
            CompiledRule gate = now.gates.get(matches.get(i));
            PendingCharge stake = rules.test(gate.rule) ? stake(gate, known, gate.share(known)) : null;
            if (stake != null) {
                stakes.add(stake);
            }
        }
        return stakes;
    }

    /** What a rule that matches has at stake; null if it does not apply after all, or is unlimited. */
    private @Nullable PendingCharge stake(CompiledRule gate, Request request, int share) {
        String key = gate.keys.of(request);
        if (key == null) {
            return null;
        }
        KeyOverrides.Active order = keyOverrides.find(gate.rule.name(), key, clock);
        if (order != null && order.order().blocked()) {
            long micros = TimeUnit.MICROSECONDS.convert(
                    Duration.between(clock.instant(), order.order().until()));
            return new PendingCharge(gate.rule, BLOCKED, key, 100, request.cost(), Math.max(1, micros));
        }
        NamedLimiter counter = order == null ? gate.counter(request) : order.counter();
        return counter == null ? null : new PendingCharge(gate.rule, counter, key, share, request.cost(), 0);
    }

    // ---- Giving back

    /** Gives back what a verdict took, for a request that did not run. Give a verdict back once. */
    public CompletableFuture<Void> refund(Verdict verdict) {
        return CompletableFuture.allOf(taken(verdict)
                .map(ruling -> ruling.limiter().refundAsync(ruling.key(), ruling.decision()))
                .toArray(CompletableFuture<?>[]::new));
    }

    /** Ends the use of what a verdict took: permits of concurrency limits become free. Release a verdict once. */
    public CompletableFuture<Void> release(Verdict verdict) {
        return CompletableFuture.allOf(taken(verdict)
                .map(ruling -> ruling.limiter().releaseAsync(ruling.key(), ruling.decision()))
                .toArray(CompletableFuture<?>[]::new));
    }

    /** Of a denied request nothing stays taken, but by those who watch. */
    private static Stream<RuleDecision> taken(Verdict verdict) {
        return verdict.decisions().stream()
                .filter(ruling -> ruling.decision().outcome() == Outcome.ALLOWED)
                .filter(ruling -> verdict.allowed() || ruling.rule().onExceed().action() == OnExceed.Action.SHADOW);
    }

    // ---- Looking into it

    /** Which rules apply to a request and why, how each stands, and what would let it through. Takes nothing. */
    public CompletableFuture<Explanation> explain(Request request) {
        CompiledRules now = snapshot;
        Request known = now.located(request);
        return new Explainer(known, gate -> stake(gate, known, gate.classShare(known))).run(now.gates);
    }

    /**
     * How a key of a rule stands: what is left of it, or, if that is nothing, what a request for one permit would be told;
     * null if there is no such rule, no key of it is written like that, or it is unlimited. Overrides by attributes that are
     * not in the key are not seen.
     */
    public CompletableFuture<@Nullable RuleDecision> inspect(String rule, String key) {
        CompiledRule gate = snapshot.gate(rule);
        Request request = gate == null ? null : gate.keys.request(key);
        PendingCharge stake = gate == null || request == null ? null : stake(gate, request, 100);
        return stake == null
                ? CompletableFuture.completedFuture(null)
                : stake.standing().thenApply(decision -> stake.ruling(decision));
    }

    /** The limiter of a rule; null if there is no such rule or it is unlimited. */
    public @Nullable Limiter limiter(String rule) {
        CompiledRule gate = snapshot.gate(rule);
        NamedLimiter counter = gate == null ? null : gate.counter;
        return counter == null ? null : counter.limiter;
    }

    /** Forgets everything a key has used, under the rule and its overrides; says whether there is such a rule. */
    public boolean reset(String rule, String key) {
        CompiledRule gate = snapshot.gate(rule);
        if (gate == null) {
            return false;
        }
        gate.counters().forEach(counter -> counter.limiter.reset(key));
        KeyOverrides.Active order = keyOverrides.find(rule, key, clock);
        NamedLimiter ordered = order == null ? null : order.counter();
        if (ordered != null) {
            ordered.limiter.reset(key);
        }
        return true;
    }

    // ---- Intervening

    /** Denies every request of a key until then. */
    public KeyOverride block(String rule, String key, Instant until) {
        return intervene(new KeyOverride(rule, key, true, List.of(), until));
    }

    /** Puts other limits in force for a key until then; none for unlimited. */
    public KeyOverride override(String rule, String key, List<Limit> limits, Instant until) {
        return intervene(new KeyOverride(rule, key, false, limits, until));
    }

    /** Ends what was ordered for a key; says whether there was anything. */
    public boolean clear(String rule, String key) {
        return keyOverrides.remove(rule, key);
    }

    /** What has been ordered and has not ended. */
    public List<KeyOverride> keyOverrides() {
        return keyOverrides.list(clock.instant());
    }

    private KeyOverride intervene(KeyOverride order) {
        CompiledRule gate = snapshot.gate(order.rule());
        if (gate == null) {
            throw noRule(order.rule());
        }
        if (!order.until().isAfter(clock.instant())) {
            throw new IllegalArgumentException("it would have ended already: until " + order.until());
        }
        NamedLimiter counter = null;
        if (!order.limits().isEmpty()) {
            String name = order.rule() + "/key=" + order.key();
            Limit[] limits = order.limits().toArray(Limit[]::new);
            OnFailure onFailure = gate.rule.onStoreFailure();
            counter = new NamedLimiter(name, store.limiter(name, onFailure, limits), onFailure, order.limits());
        }
        keyOverrides.put(new KeyOverrides.Active(order, counter), clock.instant());
        return order;
    }

    private static IllegalArgumentException noRule(String name) {
        return new IllegalArgumentException("there is no rule named " + Quoted.quoted(name));
    }
}
