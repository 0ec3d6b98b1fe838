package dev.sluice.rules;

import dev.sluice.Limit;
import dev.sluice.OnFailure;
import dev.sluice.rules.match.Condition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/** Builds a {@link Rule}. */
public final class RuleBuilder {
    private final String name;
    private final List<Condition> when = new ArrayList<>();
    private final List<RuleOverride> overrides = new ArrayList<>();
    private final Map<String, Integer> priority = new LinkedHashMap<>();
    private List<String> key = List.of();
    private List<Limit> limits = List.of();
    private Rule.MissingKey missingKey = Rule.MissingKey.SKIP;
    private OnExceed onExceed = OnExceed.REJECT;
    private OnFailure onStoreFailure = OnFailure.LOCAL;
    private Rule.Batch batch = Rule.Batch.OFF;
    private @Nullable Duration lease;
    private OptionalInt shedFrom = OptionalInt.empty();
    private int ipv6Prefix = Rule.IPV6_PREFIX;
    private @Nullable UnderWay underWay;

    RuleBuilder(String name) {
        this.name = name;
    }

    /** Adds a condition. */
    public RuleBuilder when(Condition condition) {
        when.add(condition);
        return this;
    }

    /** The attributes that make the key. Default: none. */
    public RuleBuilder key(String... attributes) {
        key = List.of(attributes);
        return this;
    }

    /** What to do with a request that lacks one of them. Default: the rule does not apply. */
    public RuleBuilder missingKey(Rule.MissingKey missingKey) {
        this.missingKey = missingKey;
        return this;
    }

    /** The limits. Default: unlimited. */
    public RuleBuilder limits(Limit... limits) {
        this.limits = List.of(limits);
        return this;
    }

    /** What happens to a request over the limit. Default: it is denied. */
    public RuleBuilder onExceed(OnExceed onExceed) {
        this.onExceed = onExceed;
        return this;
    }

    /** The policy for the time while the store does not answer. Default: this process keeps the limit by itself. */
    public RuleBuilder onStoreFailure(OnFailure onStoreFailure) {
        this.onStoreFailure = onStoreFailure;
        return this;
    }

    /** Whether permits are fetched ahead for hot keys. Default: no. */
    public RuleBuilder batch(Rule.Batch batch) {
        this.batch = batch;
        return this;
    }

    /** After how long permits of a concurrency limit free themselves. Default: whoever asks says it. */
    public RuleBuilder lease(Duration lease) {
        this.lease = lease;
        return this;
    }

    /** The share of the limits, in percent, that requests of a class may use. */
    public RuleBuilder priority(String priorityClass, int percent) {
        priority.put(priorityClass, percent);
        return this;
    }

    /** The percentage of the limits from which requests are denied at random. Default: none. */
    public RuleBuilder shedFrom(int percent) {
        shedFrom = OptionalInt.of(percent);
        return this;
    }

    /** Adds other limits for some of the requests. */
    public RuleBuilder override(RuleOverride override) {
        overrides.add(override);
        return this;
    }

    /** The number of bits of an IPv6 address that make the key. Default: 64. */
    public RuleBuilder ipv6Prefix(int bits) {
        this.ipv6Prefix = bits;
        return this;
    }

    /** Charges when it is known what became of a request. Default: the rule is charged beforehand. */
    public RuleBuilder underWay(UnderWay underWay) {
        this.underWay = underWay;
        return this;
    }

    public Rule build() {
        return new Rule(
                name,
                when,
                key,
                missingKey,
                limits,
                onExceed,
                onStoreFailure,
                batch,
                lease,
                priority,
                shedFrom,
                overrides,
                ipv6Prefix,
                underWay);
    }
}
