package dev.sluice.server.admin;

import java.util.List;
import java.util.Set;

/** What rules are put in force on. */
interface RuleTarget {
    /** Rules that cannot be put in force. */
    final class BadRules extends RuntimeException {
        private static final long serialVersionUID = 1;

        final transient List<RuleProblem> problems;

        BadRules(List<RuleProblem> problems) {
            super(problems.size() + " problems", null, false, false);
            this.problems = List.copyOf(problems);
        }
    }

    /** Finds out whether a rule file could be put in force; throws {@link BadRules} if not. */
    void check(String text);

    /** Puts a rule file in force; throws {@link BadRules} if that cannot be, and then nothing has changed. */
    void apply(String text);

    /** Puts in force what holds for a key; whatever is wrong with it is a {@link HttpProblem.Refusal}. */
    void hold(KeyHold hold);

    /** The {@linkplain KeyHold#name names} of what holds. */
    Set<String> holds();

    /** Ends what holds for a key. */
    void drop(KeyHold hold);
}
