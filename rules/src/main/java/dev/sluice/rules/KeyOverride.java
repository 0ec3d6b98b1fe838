package dev.sluice.rules;

import dev.sluice.Limit;
import java.time.Instant;
import java.util.List;

/**
 * Other limits for one key of a rule, or a block, for a while.
 *
 * @param rule the name of the rule
 * @param key the key, as in {@link RuleDecision#key()}
 * @param blocked whether every request is denied
 * @param limits if it is not blocked: the limits in place of the rule's; none for unlimited
 * @param until when it ends
 */
public record KeyOverride(String rule, String key, boolean blocked, List<Limit> limits, Instant until) {
    public KeyOverride {
        limits = List.copyOf(limits);
    }

    /** Whether it is in force at an instant. */
    public boolean isActive(Instant now) {
        return until.isAfter(now);
    }
}
