package dev.sluice.rules.engine;

import dev.sluice.Scheduler;
import dev.sluice.Ticker;
import dev.sluice.rules.Place;
import dev.sluice.rules.Rule;
import dev.sluice.rules.RuleDecision;
import dev.sluice.rules.Verdict;
import dev.sluice.rules.engine.CompiledRule.UnderWayLimiters;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The requests whose rules are charged when it is known what became of them; {@link UnderWayCheck} says how. */
final class UnderWayRequests {
    private static final System.Logger LOG = System.getLogger(RuleEngine.class.getName());

    private final Scheduler scheduler;
    private final Ticker ticker;
    private final Decider decider;
    private final Set<UnderWayCheck> undecided = ConcurrentHashMap.newKeySet();

    UnderWayRequests(Scheduler scheduler, Ticker ticker, Decider decider) {
        this.scheduler = scheduler;
        this.ticker = ticker;
        this.decider = decider;
    }

    /** Those that are not charged at once. Most requests have none, so it makes nothing for them. */
    static List<PendingCharge> later(List<PendingCharge> charges) {
        List<PendingCharge> later = List.of();
        for (int i = 0; i < charges.size(); i++) {
            if (charges.get(i).rule().underWay() != null) {
                later = later.isEmpty() ? new ArrayList<>(charges.size()) : later;
                later.add(charges.get(i));
            }
        }
        return later;
    }

    /** Checks a request; {@code later} are those of {@code all} that are not charged at once. */
    CompletableFuture<Verdict> begin(CompiledRules rules, List<PendingCharge> later, List<PendingCharge> all) {
        List<PendingCharge> others =
                all.stream().filter(charge -> !later.contains(charge)).toList();
        UnderWayCheck check = new UnderWayCheck(new Host(rules), later, others);
        undecided.add(check);
        CompletableFuture<Verdict> verdict = check.run();
        verdict.whenComplete((given, failure) -> undecided.remove(check));
        return verdict;
    }

    /** Lets those who wait for permits look again whether there are any. */
    void reconsiderWaits() {
        undecided.forEach(UnderWayCheck::reconsider);
    }

    /** Denies those who wait for permits. */
    void endWaits() {
        undecided.forEach(UnderWayCheck::endWait);
    }

    /** The decisions that are made already: those of the rules that are charged later are not. */
    static Verdict decided(Verdict verdict) {
        return Verdict.of(verdict.decisions().stream()
                .filter(decision -> !decision.isChargedLater())
                .toList());
    }

    /** Charges the rules that a request matters to, and then frees its places. Returns what was charged. */
    CompletableFuture<List<RuleDecision>> settle(CompiledRules rules, Verdict verdict, Predicate<Rule> matter) {
        List<CompletableFuture<Optional<RuleDecision>>> charges = verdict.decisions().stream()
                .filter(decision -> decision.isChargedLater() && matter.test(decision.rule()))
                .map(decision -> charge(rules, decision))
                .toList();
        return CheckExecution.all(charges).handle((charged, failure) -> {
            freePlaces(verdict).forEach(freed -> {});
            if (failure == null) {
                return charged.stream().flatMap(Optional::stream).toList();
            }
            LOG.log(System.Logger.Level.WARNING, "charging " + verdict + " failed", failure);
            return List.of();
        });
    }

    /** Charges a rule for a request that has run. If it has no permits left, the request counts as excess. */
    private static CompletableFuture<Optional<RuleDecision>> charge(CompiledRules rules, RuleDecision seen) {
        CompiledRule rule = rules.rule(seen.rule().name());
        UnderWayLimiters limiters = rule == null ? null : rule.underWay;
        return seen.limiter().decideAsync(seen.key(), seen.decision().permits()).thenCompose(decision -> {
            if (decision.allowed() || limiters == null) {
                return CompletableFuture.completedFuture(
                        decision.allowed() ? Optional.of(seen.withDecision(decision)) : Optional.empty());
            }
            return limiters.excess().limiter.decideAsync(seen.key(), 1).thenApply(counted -> Optional.empty());
        });
    }

    /** Frees the places of a verdict that are not free already. */
    static Stream<CompletableFuture<?>> freePlaces(Verdict verdict) {
        return verdict.decisions().stream()
                .map(RuleDecision::place)
                .flatMap(Stream::ofNullable)
                .map(Place::release);
    }

    /** What a check needs. */
    private final class Host implements UnderWayCheck.Host {
        private final CompiledRules rules;

        Host(CompiledRules rules) {
            this.rules = rules;
        }

        @Override
        public Scheduler scheduler() {
            return scheduler;
        }

        @Override
        public Ticker ticker() {
            return ticker;
        }

        @Override
        public @Nullable UnderWayLimiters limiters(Rule rule) {
            CompiledRule compiled = rules.rule(rule.name());
            return compiled == null ? null : compiled.underWay;
        }

        @Override
        public CompletableFuture<Verdict> decide(List<PendingCharge> charges) {
            return decider.decide(charges);
        }

        @Override
        public CompletableFuture<Void> refund(Verdict verdict) {
            return TakenPermits.refund(verdict);
        }

        @Override
        public boolean waitsEnded() {
            return decider.waitsEnded();
        }
    }
}
