package dev.sluice.rules;

import dev.sluice.Limit;
import java.time.Instant;
import java.util.List;

/**
 * What somebody ordered for one key of a rule, for a while.
 *
 * @param rule the name of the rule
 * @param key the key, as in {@link RuleDecision#key()}
 * @param blocked whether every request is denied
 * @param limits else: the limits in place of the rule's; none for unlimited
 * @param until when it ends
 */
public record KeyOverride(String rule, String key, boolean blocked, List<Limit> limits, Instant until) {
    public KeyOverride {
        limits = List.copyOf(limits);
    }
}
