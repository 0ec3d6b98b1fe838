package dev.sluice.server.ruleset;

/** Is called on the thread that updates the rules. */
public interface RuleChangeListener {
    /** Other rules are in force. */
    void changed(RuleVersion before, RuleVersion after);

    /** Rules were rejected; the rules in force are the same as before. */
    void rejected(RejectedRules rejected);

    /** The rules that servers share through Redis can be read again, or no longer. */
    void sharing(boolean reachable);
}
