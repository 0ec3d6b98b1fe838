package dev.sluice.rules.file;

import dev.sluice.rules.RuleSet;
import java.util.List;

/**
 * The rules of a file, and what in it has no effect.
 *
 * @param warnings what may be a mistake, in the order of the file
 */
public record CheckedRules(RuleSet rules, List<FileProblem> warnings) {
    public CheckedRules {
        warnings = List.copyOf(warnings);
    }
}
