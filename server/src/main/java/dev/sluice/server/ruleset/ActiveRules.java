package dev.sluice.server.ruleset;

import dev.sluice.rules.RuleEngine;
import dev.sluice.rules.RuleSet;
import dev.sluice.rules.file.RuleFile;
import dev.sluice.rules.file.RuleFileException;
import dev.sluice.server.ruleset.RejectedRules.BadRulesException;
import java.time.Clock;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The version of the rules that is in force on this server, and what is wrong with a newer one that is not. The engine has
 * the parsed rules; nobody else puts rules in force on it. Changed by one thread.
 */
public final class ActiveRules {
    private static final System.Logger LOG = System.getLogger(ActiveRules.class.getName());

    private final RuleEngine engine;
    private final String fileName;
    private final Set<String> stores;
    private final TemporaryOverrides overrides;
    private final Clock clock;
    private final List<RuleChangeListener> listeners = new CopyOnWriteArrayList<>();
    private volatile RuleVersion version;
    private volatile @Nullable RejectedRules rejected;
    private volatile boolean sharingReachable = true;
    /** So that bad rules of another server are parsed once and not again and again. */
    private String rejectedId = "";

    /**
     * A version of the rules, parsed, that may come into force.
     *
     * @param rules what its text says
     */
    record Candidate(RuleVersion version, RuleSet rules) {
        Candidate after(long number) {
            return new Candidate(version.after(number), rules);
        }
    }

    /**
     * Starts with the rules that the engine has.
     *
     * @param fileName the name of the server's rule file: relative paths in rules start from it
     * @param stores the stores that rules may name: a running server does not move to another
     */
    ActiveRules(
            RuleEngine engine,
            String fileName,
            Set<String> stores,
            TemporaryOverrides overrides,
            RuleVersion first,
            Clock clock) {
        this.engine = engine;
        this.fileName = fileName;
        this.stores = stores;
        this.overrides = overrides;
        this.version = first;
        this.clock = clock;
    }

    public void listener(RuleChangeListener listener) {
        listeners.add(listener);
    }

    public RuleVersion version() {
        return version;
    }

    /** The rules that were rejected last, or null if the newest rules are in force. */
    public @Nullable RejectedRules rejected() {
        return rejected;
    }

    /** Whether the rules that servers share can be reached. */
    public boolean isSharingReachable() {
        return sharingReachable;
    }

    /** The rules in force as a candidate for another number. */
    Candidate asCandidate() {
        return new Candidate(version, engine.rules());
    }

    /**
     * Parses and checks a version.
     *
     * @throws BadRulesException if it cannot be put in force
     */
    Candidate parse(RuleVersion candidate) {
        return new Candidate(candidate, parse(candidate.text()));
    }

    private RuleSet parse(String text) {
        RuleSet rules;
        try {
            rules = RuleFile.parse(fileName, text);
        } catch (RuleFileException e) {
            throw new BadRulesException(e.problems().stream()
                    .map(problem -> new RuleProblem(
                            (problem.field().isEmpty() ? "" : problem.field() + ": ") + problem.message(),
                            problem.line(),
                            problem.column()))
                    .toList());
        } catch (Throwable e) {
            throw unexpected(e);
        }
        if (!stores.contains(rules.store())) {
            throw new BadRulesException("store: a running server keeps its store, and this names another, "
                    + withoutPassword(rules.store()) + "; start the server again for that");
        }
        return rules;
    }

    /** Whether this version is in force, or has been rejected. */
    boolean isKnown(String id) {
        return id.equals(version.id()) || id.equals(rejectedId);
    }

    /** Puts a version of another server in force, or rejects it if it is bad. */
    void adopt(RuleVersion next) {
        adopt(next, () -> parse(next.text()));
    }

    void adopt(Candidate next) {
        adopt(next.version(), next::rules);
    }

    private void adopt(RuleVersion next, Supplier<RuleSet> rules) {
        if (isKnown(next.id())) {
            return;
        }
        if (!next.isSameText(version)) {
            try {
                apply(rules.get());
            } catch (BadRulesException bad) {
                rejectedId = next.id();
                reject("version " + next.number() + " by " + next.who(), bad.problems);
                return;
            }
        }
        RuleVersion before = version;
        version = next;
        rejected = null;
        rejectedId = "";
        overrides.rulesChanged();
        listeners.forEach(listener -> listener.changed(before, next));
    }

    private void apply(RuleSet rules) {
        try {
            engine.apply(rules);
        } catch (IllegalArgumentException | IllegalStateException e) {
            throw new BadRulesException(String.valueOf(e.getMessage()));
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /** A failure that no check foresaw, such as a stack overflow, rejects the rules like any other problem with them. */
    private static BadRulesException unexpected(Throwable e) {
        LOG.log(System.Logger.Level.ERROR, "the rules could not be read", e);
        if (e instanceof OutOfMemoryError memory) {
            throw memory;
        }
        return new BadRulesException("the rules could not be read: " + e);
    }

    /** Shows that the newest rules are bad. */
    void reject(String where, List<RuleProblem> problems) {
        RejectedRules bad = new RejectedRules(where, clock.instant(), problems);
        rejected = bad;
        listeners.forEach(listener -> listener.rejected(bad));
    }

    /** Shows that the rule file is no longer bad. */
    void clearRejected() {
        rejected = null;
    }

    void sharingReachable(boolean reachable) {
        if (reachable != sharingReachable) {
            sharingReachable = reachable;
            listeners.forEach(listener -> listener.sharing(reachable));
        }
    }

    private static String withoutPassword(String store) {
        return store.replaceFirst("(?s)//.*@", "//…@");
    }
}
