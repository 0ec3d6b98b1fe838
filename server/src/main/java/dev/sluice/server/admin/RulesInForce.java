package dev.sluice.server.admin;

import java.time.Clock;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The version that is in force here, and what is wrong with the one that is not. Changed by one thread. */
final class RulesInForce {
    private final RuleTarget target;
    private final Holds holds;
    private final Clock clock;
    private final List<RuleListener> listeners = new CopyOnWriteArrayList<>();
    private volatile RuleVersion version;
    private volatile @Nullable RuleTrouble trouble;
    private volatile boolean boardReachable = true;
    /** So that bad rules are read once and not at every look. */
    private String refusedId = "";

    /** The target has the first version in force already. */
    RulesInForce(RuleTarget target, Holds holds, RuleVersion first, Clock clock) {
        this.target = target;
        this.holds = holds;
        this.version = first;
        this.clock = clock;
    }

    void listener(RuleListener listener) {
        listeners.add(listener);
    }

    RuleVersion version() {
        return version;
    }

    @Nullable
    RuleTrouble trouble() {
        return trouble;
    }

    boolean isBoardReachable() {
        return boardReachable;
    }

    void check(String text) {
        target.check(text);
    }

    /** Whether this version is in force, or has been refused. */
    boolean isKnown(String id) {
        return id.equals(version.id()) || id.equals(refusedId);
    }

    /** Puts a version in force, or keeps the one that is if this one is bad. */
    void adopt(RuleVersion next) {
        if (isKnown(next.id())) {
            return;
        }
        if (!next.isSameText(version)) {
            try {
                target.apply(next.text());
            } catch (RuleTarget.BadRules bad) {
                refusedId = next.id();
                String where = "version " + next.number() + " by " + next.who();
                refused(new RuleTrouble(where, clock.instant(), bad.problems));
                return;
            }
        }
        RuleVersion before = version;
        version = next;
        trouble = null;
        refusedId = "";
        holds.rulesChanged();
        tell(listener -> listener.changed(before, next));
    }

    void refused(RuleTrouble refused) {
        trouble = refused;
        tell(listener -> listener.refused(refused));
    }

    /** What was wrong with the file is wrong no longer. */
    void settled() {
        trouble = null;
    }

    void boardReachable(boolean reachable) {
        if (reachable != boardReachable) {
            boardReachable = reachable;
            tell(listener -> listener.board(reachable));
        }
    }

    private void tell(Consumer<RuleListener> message) {
        listeners.forEach(message);
    }
}
