package dev.sluice.server.ruleset;

import dev.sluice.rules.RuleSet;
import dev.sluice.rules.engine.RuleEngine;
import dev.sluice.rules.file.CheckedRules;
import dev.sluice.rules.file.FileProblem;
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
    private volatile List<String> warnings = List.of();
    private volatile @Nullable RejectedRules rejected;
    private volatile boolean sharingReachable = true;
    /** So that bad rules of another server are parsed once and not again and again. */
    private String rejectedId = "";

    /**
     * A version of the rules, parsed, that may come into force.
     *
     * @param rules what its text says
     * @param warnings what in it has no effect
     */
    record Candidate(RuleVersion version, RuleSet rules, List<String> warnings) {
        Candidate after(long number) {
            return new Candidate(version.after(number), rules, warnings);
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
            List<FileProblem> warnings,
            Clock clock) {
        this.engine = engine;
        this.fileName = fileName;
        this.stores = stores;
        this.overrides = overrides;
        this.version = first;
        this.clock = clock;
        warn(texts(warnings));
    }

    public void listener(RuleChangeListener listener) {
        listeners.add(listener);
    }

    public RuleVersion version() {
        return version;
    }

    /** What in the rules in force has no effect, each with its place in the file. */
    public List<String> warnings() {
        return warnings;
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
        return new Candidate(version, engine.rules(), warnings);
    }

    /**
     * Parses and checks a version.
     *
     * @throws BadRulesException if it cannot be put in force
     */
    Candidate parse(RuleVersion candidate) {
        CheckedRules checked = parse(candidate.text());
        return new Candidate(candidate, checked.rules(), texts(checked.warnings()));
    }

    /** Says whether a text could be put in force here. Any thread may ask, and nothing changes. */
    public CheckedText check(String text) {
        try {
            CheckedRules checked = parse(text);
            return CheckedText.of(checked.rules(), checked.warnings());
        } catch (BadRulesException bad) {
            return CheckedText.wrong(bad.problems);
        }
    }

    private CheckedRules parse(String text) {
        CheckedRules checked;
        try {
            checked = RuleFile.check(fileName, text);
        } catch (RuleFileException e) {
            throw new BadRulesException(
                    e.problems().stream().map(RuleProblem::of).toList());
        } catch (Throwable e) {
            throw unexpected(e);
        }
        String store = checked.rules().store();
        if (!stores.contains(store)) {
            throw new BadRulesException("store: a running server keeps its store, and this names another, "
                    + withoutPassword(store) + "; start the server again for that");
        }
        return checked;
    }

    /** Whether this version is in force, or has been rejected. */
    boolean isKnown(String id) {
        return id.equals(version.id()) || id.equals(rejectedId);
    }

    /** Puts a version of another server in force, or rejects it if it is bad. */
    void adopt(RuleVersion next) {
        adopt(next, () -> parse(next));
    }

    void adopt(Candidate next) {
        adopt(next.version(), () -> next);
    }

    private void adopt(RuleVersion next, Supplier<Candidate> parsed) {
        if (isKnown(next.id())) {
            return;
        }
        if (!next.isSameText(version)) {
            try {
                Candidate candidate = parsed.get();
                apply(candidate.rules());
                warn(candidate.warnings());
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

    private void warn(List<String> texts) {
        warnings = List.copyOf(texts);
        texts.forEach(text -> LOG.log(System.Logger.Level.WARNING, text));
    }

    private static List<String> texts(List<FileProblem> warnings) {
        return warnings.stream().map(FileProblem::toString).toList();
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
