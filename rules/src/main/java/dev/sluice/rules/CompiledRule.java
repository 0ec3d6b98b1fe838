package dev.sluice.rules;

import dev.sluice.rules.match.Attributes;
import dev.sluice.rules.match.Index;
import dev.sluice.rules.match.Matches;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A rule made ready: how to find its key, its limiter and its share for a request. */
final class CompiledRule {
    final Rule rule;
    final KeyFormat keys;
    /** Null for unlimited. */
    final @Nullable NamedLimiter counter;

    private final Index overrides;
    private final List<@Nullable NamedLimiter> overriding;
    private final boolean plain;

    CompiledRule(Rule rule, @Nullable NamedLimiter counter, List<@Nullable NamedLimiter> overriding) {
        this.rule = rule;
        this.keys = new KeyFormat(rule);
        this.counter = counter;
        this.overrides =
                Index.of(rule.overrides().stream().map(RuleOverride::when).toList());
        this.overriding = overriding;
        this.plain = rule.priority().isEmpty() && rule.shedFrom().isEmpty();
    }

    /** What counts for a request: the first override that matches, or else the rule's own. */
    @Nullable
    NamedLimiter counter(Request request) {
        int first = overriding.isEmpty() ? -1 : override(request);
        return first < 0 ? counter : overriding.get(first);
    }

    /** Which override matches first; -1 if none does. */
    int override(Request request) {
        Matches matches = overrides.find(request);
        return matches.count() == 0 ? -1 : matches.get(0);
    }

    /** The counters of this rule, that of the rule itself first. */
    List<NamedLimiter> counters() {
        return Stream.concat(Stream.ofNullable(counter), overriding.stream())
                .flatMap(Stream::ofNullable)
                .toList();
    }

    /** How many percent of the limits the class of a request may use. */
    int classShare(Request request) {
        String named = rule.priority().isEmpty() ? null : request.attribute(Attributes.PRIORITY);
        Integer share = named == null ? null : rule.priority().get(named);
        return share == null ? 100 : share;
    }

    /**
     * How many percent of the limits a request may use this time.
     *
     * <p>Shedding is a share drawn at random from where it begins up to 100: the nearer the use of the limit is to 100,
     * the likelier the share is used up already. So it works in every store, and the chance rises evenly to 1.
     */
    int share(Request request) {
        if (plain) {
            return 100;
        }
        int share = classShare(request);
        if (rule.shedFrom().isEmpty()) {
            return share;
        }
        int from = rule.shedFrom().getAsInt();
        return Math.min(share, ThreadLocalRandom.current().nextInt(from, 100) + 1);
    }
}
