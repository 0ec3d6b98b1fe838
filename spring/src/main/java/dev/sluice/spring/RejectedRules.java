package dev.sluice.spring;

import java.time.Instant;
import java.util.List;

/**
 * Rules that were not put in force because they are wrong.
 *
 * @param where the file or the properties that they are from
 * @param problems all that is wrong with them
 */
public record RejectedRules(String where, Instant when, List<String> problems) {
    public RejectedRules {
        problems = List.copyOf(problems);
    }
}
