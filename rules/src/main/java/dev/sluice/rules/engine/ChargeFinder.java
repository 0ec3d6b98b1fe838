package dev.sluice.rules.engine;

import dev.sluice.Decision;
import dev.sluice.rules.Request;
import dev.sluice.rules.Rule;
import dev.sluice.rules.match.Matches;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Finds what the rules are to charge for a request.
 *
 * <p>A request whose path can be read in several ways is charged everything that one of its forms would be charged, and
 * what is the same for several forms once. So a rule, an override and a key that one form misses, another one meets; and a
 * form that is unlimited makes no other form unlimited.
 */
final class ChargeFinder {
    /** Denies a request whose path has more forms than are compared. */
    private static final Rule AMBIGUOUS_PATH = Rule.named("ambiguous-path").build();

    private static final NamedLimiter AMBIGUOUS = NamedLimiter.blocked(AMBIGUOUS_PATH);

    private final KeyOverrides keyOverrides;
    private final InstantSource clock;

    ChargeFinder(KeyOverrides keyOverrides, InstantSource clock) {
        this.keyOverrides = keyOverrides;
        this.clock = clock;
    }

    /** What the rules that apply are to charge, in their order. */
    List<PendingCharge> find(CompiledRules rules, Request request, Predicate<Rule> filter) {
        Request known = rules.withRegion(request);
        if (!rules.hasOneForm(known)) {
            return findForms(rules, known, filter);
        }
        Matches matches = rules.index().find(known);
        if (matches.count() == 0) {
            return List.of();
        }
        List<PendingCharge> charges = new ArrayList<>(matches.count());
        for (int i = 0; i < matches.count(); i++) {
            CompiledRule rule = rules.compiled.get(matches.get(i));
            if (filter.test(rule.rule)) {
                add(rule, known, charges);
            }
        }
        return charges;
    }

    private List<PendingCharge> findForms(CompiledRules rules, Request request, Predicate<Rule> filter) {
        if (!request.isPathReadable()) {
            return List.of(ofUnreadable(request));
        }
        SortedMap<Integer, List<Request>> formsByRule = new TreeMap<>();
        for (Request form : rules.forms(request)) {
            Matches matches = rules.index().find(form);
            for (int i = 0; i < matches.count(); i++) {
                formsByRule
                        .computeIfAbsent(matches.get(i), first -> new ArrayList<>())
                        .add(form);
            }
        }
        List<PendingCharge> charges = new ArrayList<>();
        formsByRule.forEach((index, forms) -> {
            CompiledRule rule = rules.compiled.get(index);
            if (filter.test(rule.rule)) {
                add(rule, forms, charges);
            }
        });
        return charges;
    }

    /** Adds what one rule is to charge for a request whose path has one form. */
    void add(CompiledRule rule, Request request, List<PendingCharge> charges) {
        PendingCharge charge = of(rule, request, rule.share(request));
        if (charge != null) {
            charges.add(rule.drawShare(charge));
        }
    }

    /** Adds what one rule is to charge for the forms of a request that meet it. */
    void add(CompiledRule rule, List<Request> forms, List<PendingCharge> charges) {
        List<PendingCharge> found = new ArrayList<>(forms.size());
        for (int i = 0; i < forms.size(); i++) {
            PendingCharge charge = of(rule, forms.get(i), rule.share(forms.get(i)));
            if (charge != null && found.stream().noneMatch(other -> isSame(other, charge))) {
                found.add(charge);
                charges.add(rule.drawShare(charge));
            }
        }
    }

    /** Whether two charges of one rule take from the same counter. */
    static boolean isSame(PendingCharge one, PendingCharge other) {
        return one.named().name.equals(other.named().name) && one.key().equals(other.key());
    }

    /** What denies a request whose path was made to be misread. */
    PendingCharge ofUnreadable(Request request) {
        return denied(AMBIGUOUS_PATH, AMBIGUOUS, "", request, Decision.NEVER_MICROS);
    }

    /** What a rule that matches is to charge; null if the request has no key for it, or if it is unlimited. */
    @Nullable
    PendingCharge of(CompiledRule rule, Request request, int share) {
        String key = rule.keyFormat.of(request);
        if (key == null) {
            return null;
        }
        KeyOverrides.Active active = keyOverrides.find(rule.rule.name(), key);
        if (active != null && active.override().blocked()) {
            long micros = TimeUnit.MICROSECONDS.convert(
                    Duration.between(clock.instant(), active.override().until()));
            return denied(rule.rule, rule.blocked, key, request, Math.max(1, micros));
        }
        if (rule.keyFormat.denies(request)) {
            return denied(rule.rule, rule.blocked, key, request, Decision.NEVER_MICROS);
        }
        NamedLimiter limiter = active == null ? rule.limiter(request) : active.limiter();
        return limiter == null ? null : new PendingCharge(rule.rule, limiter, key, share, share, request.cost(), 0);
    }

    private static PendingCharge denied(
            Rule rule, NamedLimiter blocked, String key, Request request, long blockedMicros) {
        return new PendingCharge(rule, blocked, key, 100, 100, request.cost(), blockedMicros);
    }
}
