package dev.sluice.simulate.replay;

import java.util.List;

/**
 * What rules did to the requests of a log.
 *
 * @param name what the rules are called
 * @param requests how many requests there were
 * @param firstMicros when the first came, in microseconds since 1970
 * @param lastMicros when the last came
 * @param allowed how many were allowed, at once or after a wait
 * @param denied how many were denied
 * @param degraded how many of those that were allowed had to make do with less
 * @param waited how many of those that were allowed waited
 * @param atBound how many decisions were made on a shared counter, because there was no memory for one of the key's own
 * @param rules what each rule did, in their order
 * @param series the counts over time
 */
public record ReplayResult(
        String name,
        long requests,
        long firstMicros,
        long lastMicros,
        long allowed,
        long denied,
        long degraded,
        long waited,
        long atBound,
        List<RuleResult> rules,
        Series series) {
    public ReplayResult {
        rules = List.copyOf(rules);
    }
}
