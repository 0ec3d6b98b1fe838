package dev.sluice.rules;

import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.OnFailure;
import dev.sluice.rules.match.Attributes;
import dev.sluice.rules.match.Condition;
import dev.sluice.text.Quoted;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Which requests are limited, and by what.
 *
 * @param name its name, unique in its set; the counters are kept under it
 * @param when the conditions, all of which a request must meet; with none, the rule applies to every request
 * @param key the attributes that make the key; with none, all requests share one counter
 * @param missingKey what to do with a request that lacks an attribute of the key
 * @param limits the limits, charged all or none; an empty list for unlimited
 * @param onExceed what happens to a request over the limit
 * @param onStoreFailure the policy for the time while the store does not answer
 * @param batch whether permits are fetched ahead for hot keys
 * @param lease after how long permits of a concurrency limit free themselves, at the latest; null if that is for whoever
 *     asks to say. A process that decides for itself releases them and needs no lease
 * @param priority the share of the limits, in percent, that requests of a class may use; the class is the attribute
 *     {@code priority}, and classes that are not named here may use all
 * @param shedFrom the percentage of the limits from which requests are denied at random, up to all of them at 100
 * @param overrides other limits for some of the requests; the first that matches counts
 * @param ipv6Prefix the number of bits of an IPv6 address that make the key
 * @param underWay for a rule that is charged when it is known what became of a request: how many may be under way until
 *     then; null for a rule that is charged beforehand
 */
public record Rule(
        String name,
        List<Condition> when,
        List<String> key,
        MissingKey missingKey,
        List<Limit> limits,
        OnExceed onExceed,
        OnFailure onStoreFailure,
        Batch batch,
        @Nullable Duration lease,
        Map<String, Integer> priority,
        OptionalInt shedFrom,
        List<RuleOverride> overrides,
        int ipv6Prefix,
        @Nullable UnderWay underWay) {
    /** The default number of bits of an IPv6 address that make the key: the network that one customer usually gets. */
    public static final int IPV6_PREFIX = 64;

    /** What to do with a request that lacks an attribute of the key. */
    public enum MissingKey {
        /** The rule does not apply. */
        SKIP,
        /** The rule applies; requests that lack the attribute share a counter. */
        APPLY,
        /** The rule denies the request, and also one whose {@code ip} is no address. */
        DENY
    }

    /** Whether permits are fetched ahead from a store that is a server. */
    public enum Batch {
        /** Every decision is the server's. */
        OFF,
        /** For keys that are asked for very often. */
        AUTO
    }

    public Rule {
        when = List.copyOf(when);
        key = List.copyOf(key);
        limits = List.copyOf(limits);
        priority = Map.copyOf(priority);
        overrides = List.copyOf(overrides);
        if (name.isEmpty() || name.chars().anyMatch(Character::isISOControl)) {
            throw new IllegalArgumentException(
                    "the name of a rule must not be empty or have control characters, was " + Quoted.quoted(name));
        }
        priority.values().forEach(percent -> checkPercent("a share must be", percent, 100));
        shedFrom.ifPresent(percent -> checkPercent("shedding must start from", percent, 99));
        if (lease != null && (lease.isZero() || lease.isNegative() || lease.compareTo(Limiter.MAX_LEASE) > 0)) {
            throw new IllegalArgumentException("a lease must be longer than zero and at most one day, was " + lease);
        }
        if (ipv6Prefix < 1 || ipv6Prefix > 128) {
            throw new IllegalArgumentException(
                    "the prefix of an IPv6 address must have 1 to 128 bits, was " + ipv6Prefix);
        }
        if (underWay != null && allLimits(limits, overrides).anyMatch(Limit::holds)) {
            throw new IllegalArgumentException("rule " + Quoted.quoted(name)
                    + " is charged when a request has run, so it cannot have a limit such as '5 at once'");
        }
    }

    private static Stream<Limit> allLimits(List<Limit> limits, List<RuleOverride> overrides) {
        return Stream.concat(limits.stream(), overrides.stream().flatMap(override -> override.limits().stream()));
    }

    /** All its limits, with those of its overrides. */
    public Stream<Limit> allLimits() {
        return allLimits(limits, overrides);
    }

    private static void checkPercent(String what, int percent, int max) {
        if (percent < 1 || percent > max) {
            throw new IllegalArgumentException(what + " 1 to " + max + " percent, was " + percent);
        }
    }

    /** Builds a rule. */
    public static RuleBuilder named(String name) {
        return new RuleBuilder(name);
    }

    /** The attributes that it looks at, in its key, its conditions and its overrides; some may be there twice. */
    public Stream<String> attributes() {
        Stream<Condition> conditions = Stream.concat(
                when.stream(), overrides.stream().map(RuleOverride::when).flatMap(List::stream));
        Stream<String> named = Stream.concat(key.stream(), conditions.map(Condition::attribute));
        return priority.isEmpty() ? named : Stream.concat(named, Stream.of(Attributes.PRIORITY));
    }

    /** Whether it can deny a request: it is neither a shadow nor does it only degrade. */
    public boolean enforces() {
        return onExceed.action() == OnExceed.Action.REJECT || onExceed.action() == OnExceed.Action.WAIT;
    }
}
