package dev.sluice.rules.engine;

import dev.sluice.rules.Request;
import dev.sluice.rules.Rule;
import dev.sluice.rules.match.Attributes;
import dev.sluice.rules.match.Condition;
import dev.sluice.rules.match.Index;
import dev.sluice.rules.match.Matches;
import dev.sluice.rules.match.PathOptions;
import dev.sluice.spi.Shedding;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A rule with its limiters. */
final class CompiledRule {
    final Rule rule;
    /** The conditions, with those on the path as the options for paths say. */
    final List<Condition> when;

    final KeyFormat keyFormat;
    /** Null for unlimited. */
    final @Nullable NamedLimiter limiter;
    /** Of requests that are denied without a limiter. */
    final NamedLimiter blocked;

    private final Index overrides;
    /** By the index of the override; null for unlimited. */
    private final List<@Nullable NamedLimiter> overrideLimiters;

    private final @Nullable Shedding shedding;
    /** For a rule that is charged when it is known what became of a request, and that can deny; else null. */
    final @Nullable UnderWayLimiters underWay;

    /**
     * The limiters of a rule that is charged later.
     *
     * @param places counts the requests that are under way
     * @param excess counts the requests that the rule should have been charged for when it had no permits left
     */
    record UnderWayLimiters(NamedLimiter places, NamedLimiter excess) {}

    CompiledRule(
            Rule rule,
            PathOptions paths,
            @Nullable NamedLimiter limiter,
            List<@Nullable NamedLimiter> overrideLimiters,
            @Nullable UnderWayLimiters underWay) {
        this.rule = rule;
        this.when = paths.conditions(rule.when());
        this.keyFormat = new KeyFormat(rule, paths);
        this.limiter = limiter;
        this.blocked = NamedLimiter.blocked(rule);
        this.overrides = Index.of(rule.overrides().stream()
                .map(override -> paths.conditions(override.when()))
                .toList());
        this.overrideLimiters = overrideLimiters;
        this.underWay = underWay;
        this.shedding = rule.shedFrom().isEmpty()
                ? null
                : new Shedding(
                        rule.shedFrom().getAsInt(), ThreadLocalRandom.current().nextLong());
    }

    /** The limiter for a request: that of the first override that matches, or else the rule's own. */
    @Nullable
    NamedLimiter limiter(Request request) {
        int first = overrideLimiters.isEmpty() ? -1 : override(request);
        return first < 0 ? limiter : overrideLimiters.get(first);
    }

    /** The index of the first override that matches; -1 if none does. */
    int override(Request request) {
        Matches matches = overrides.find(request);
        return matches.count() == 0 ? -1 : matches.get(0);
    }

    /** All limiters of this rule. */
    Stream<NamedLimiter> limiters() {
        Stream<NamedLimiter> later =
                underWay == null ? Stream.empty() : Stream.of(underWay.places(), underWay.excess());
        return Stream.of(Stream.ofNullable(limiter), overrideLimiters.stream().flatMap(Stream::ofNullable), later)
                .flatMap(each -> each);
    }

    /** The percentage of the limits that the class of a request may use. */
    int share(Request request) {
        String priority = rule.priority().isEmpty() ? null : request.attribute(Attributes.PRIORITY);
        Integer share = priority == null ? null : rule.priority().get(priority);
        return share == null ? 100 : share;
    }

    /** The same charge with a share that is drawn at random, if the rule sheds. */
    PendingCharge drawShare(PendingCharge charge) {
        if (shedding == null || charge.permits() == 0 || charge.blockedMicros() > 0) {
            return charge;
        }
        int drawn = Math.min(charge.share(), shedding.share(charge.named().limits, charge.permits()));
        return new PendingCharge(rule, charge.named(), charge.key(), charge.share(), drawn, charge.permits(), 0);
    }
}
