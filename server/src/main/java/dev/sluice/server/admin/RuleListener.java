package dev.sluice.server.admin;

import org.jspecify.annotations.Nullable;

/** Told of what becomes of the rules, on the thread that sees to them. */
interface RuleListener {
    /** Other rules are in force; none were before when the server starts. */
    void changed(@Nullable RuleVersion before, RuleVersion after);

    /** Rules were refused, and nothing has changed. */
    void refused(RuleTrouble trouble);

    /** The board can be asked again, or no longer. */
    void board(boolean reachable);
}
