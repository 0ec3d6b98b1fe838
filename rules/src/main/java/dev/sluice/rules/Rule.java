package dev.sluice.rules;

import dev.sluice.Limit;
import dev.sluice.OnFailure;
import dev.sluice.rules.match.Condition;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

/**
 * Which requests are limited, and by what.
 *
 * @param name its name, one of a kind in its set; its counters go by it
 * @param when the conditions, all of which hold of a request that it applies to; none: it applies to every one
 * @param key the attributes that make the key of the counter; none: one counter
 * @param missingKey what to do with a request that lacks one of these
 * @param limits the limits, charged all or none; none for unlimited
 * @param onExceed what becomes of a request over the limit
 * @param onStoreFailure what it says while the store does not answer
 * @param priority which share of the limits, in percent, requests may use whose attribute {@code priority} says so;
 *     others may use all
 * @param shedFrom from which percentage of the limits on requests are denied at random, up to all at 100
 * @param overrides other limits for some of the keys; the first that matches counts
 * @param ipv6Prefix how many bits of an IPv6 address make the key
 */
public record Rule(
        String name,
        List<Condition> when,
        List<String> key,
        MissingKey missingKey,
        List<Limit> limits,
        OnExceed onExceed,
        OnFailure onStoreFailure,
        Map<String, Integer> priority,
        OptionalInt shedFrom,
        List<RuleOverride> overrides,
        int ipv6Prefix) {
    /** The bits of an IPv6 address that make the key, unless told otherwise: what one customer is given. */
    public static final int IPV6_PREFIX = 64;

    /** What to do with a request that lacks an attribute of the key. */
    public enum MissingKey {
        /** The rule does not apply. */
        SKIP,
        /** The rule applies; all that lack it share a counter. */
        APPLY
    }

    public Rule {
        when = List.copyOf(when);
        key = List.copyOf(key);
        limits = List.copyOf(limits);
        priority = Map.copyOf(priority);
        overrides = List.copyOf(overrides);
        if (name.isEmpty() || name.chars().anyMatch(Character::isISOControl)) {
            throw new IllegalArgumentException(
                    "a rule has a name without control characters, was " + Quoted.quoted(name));
        }
        priority.values().forEach(percent -> checkPercent("a share", percent, 1, 100));
        shedFrom.ifPresent(percent -> checkPercent("shedding starts from", percent, 1, 99));
        if (ipv6Prefix < 1 || ipv6Prefix > 128) {
            throw new IllegalArgumentException("the prefix of an IPv6 address has 1 to 128 bits, was " + ipv6Prefix);
        }
    }

    private static void checkPercent(String what, int percent, int least, int most) {
        if (percent < least || percent > most) {
            throw new IllegalArgumentException(what + " " + least + " to " + most + " percent, was " + percent);
        }
    }

    /** A rule that is put together piece by piece. */
    public static RuleBuilder named(String name) {
        return new RuleBuilder(name);
    }

    /** Whether it can deny a request: it neither only watches nor only degrades. */
    boolean enforces() {
        return onExceed.action() == OnExceed.Action.REJECT || onExceed.action() == OnExceed.Action.WAIT;
    }
}
