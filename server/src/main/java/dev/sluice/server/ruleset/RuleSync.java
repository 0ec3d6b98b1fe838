package dev.sluice.server.ruleset;

import dev.sluice.server.ruleset.ActiveRules.Candidate;
import dev.sluice.server.ruleset.RuleVersion.Origin;
import dev.sluice.server.web.HttpProblem;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the rules in force on this server the same as the shared rules. Used by one thread.
 *
 * <p>When is a file newer than the shared rules? A fleet is given a new file one server after the other, and servers
 * restart at any time with the file they had, so a file that differs from the shared rules need not be newer. It is not
 * newer if
 *
 * <ol>
 *   <li>it is the newest shared version;
 *   <li>it is the newest shared version that came from a file: what an admin has put since then stays in force;
 *   <li>when a server starts: it was shared as a file before, and was last written before the newest shared version;
 *   <li>it is not a file but the rules that are built in, and any rules are shared.
 * </ol>
 *
 * <p>Then the newest shared version is put in force; otherwise the file becomes the next version.
 */
final class RuleSync {
    private static final int ATTEMPTS = 5;

    private final SharedRules shared;
    private final ActiveRules active;
    private final TemporaryOverrides overrides;
    /** When the file that the server started with was written; null once it has changed. */
    private @Nullable Instant startModified;
    /** Rules of this server that are not shared yet, or null. */
    private @Nullable Candidate pending;

    RuleSync(SharedRules shared, ActiveRules active, TemporaryOverrides overrides, Instant startModified) {
        this.shared = shared;
        this.active = active;
        this.overrides = overrides;
        this.startModified = startModified;
        this.pending = active.asCandidate();
    }

    /** Puts a changed file in force on this server, whether it can be shared or not. */
    void fileChanged(Candidate file) {
        startModified = null;
        pending = file.after(active.version().number());
        if (!synchronize()) {
            active.adopt(pending);
        }
    }

    /** Reads and writes what has changed; returns whether the shared rules could be reached. */
    boolean synchronize() {
        try {
            SharedRules.State state = shared.state();
            synchronizeRules(state);
            overrides.synchronize(state);
            active.sharingReachable(true);
            return true;
        } catch (SharedRules.UnreachableException e) {
            active.sharingReachable(false);
            return false;
        }
    }

    /**
     * Shares a version that an admin asked for, and puts it in force.
     *
     * @param ifMatch the id of the version that the admin has seen; null if it does not matter
     */
    RuleVersion publish(Candidate asked, @Nullable String ifMatch) {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            String newest = newest();
            if (ifMatch != null && !ifMatch.equals(newest)) {
                throw HttpProblem.of(
                                412,
                                "rules-changed",
                                "the rules are at \"" + newest + "\" and not at \"" + ifMatch
                                        + "\" any more: get them again")
                        .with("etag", newest);
            }
            Candidate next = asked.after(number(newest));
            if (newest.equals(active.version().id()) && next.version().isSameText(active.version())) {
                return active.version();
            }
            if (shared.publish(newest, next.version())) {
                active.adopt(next);
                return next.version();
            }
        }
        throw HttpProblem.of(409, "rules-changed", "the rules kept changing meanwhile: try again");
    }

    List<RuleVersion> versions() {
        newest();
        return shared.versions();
    }

    /** The id of the newest shared version, after sharing what was pending. */
    private String newest() {
        synchronizeRules(shared.state());
        return shared.state().version();
    }

    private void synchronizeRules(SharedRules.State state) {
        if (pending == null && state.version().isEmpty()) { // Redis has lost everything
            pending = active.asCandidate().after(active.version().number());
            overrides.shareAllAgain();
        }
        if (pending != null) {
            settle(pending);
        } else if (!active.isKnown(state.version())) {
            shared.versions().stream().findFirst().ifPresent(active::adopt);
        }
    }

    /** Shares the rules of this server if they are newer than the shared ones, and else takes over those. */
    private void settle(Candidate mine) {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            List<RuleVersion> versions = shared.versions();
            RuleVersion newest = versions.isEmpty() ? null : versions.get(0);
            if (newest != null && !isNewer(mine.version(), versions)) {
                pending = null;
                active.adopt(newest);
                return;
            }
            Candidate next = newest == null ? mine : mine.after(newest.number());
            if (shared.publish(newest == null ? "" : newest.id(), next.version())) {
                pending = null;
                active.adopt(next);
                return;
            }
        }
    }

    private boolean isNewer(RuleVersion mine, List<RuleVersion> versions) {
        RuleVersion newest = versions.get(0);
        if (mine.isSameText(newest) || mine.origin() != Origin.FILE) {
            return false;
        }
        List<RuleVersion> files = versions.stream()
                .filter(version -> version.origin() == Origin.FILE)
                .toList();
        if (!files.isEmpty() && files.get(0).isSameText(mine)) {
            return false;
        }
        Instant modified = startModified;
        boolean sharedBefore = files.stream().anyMatch(mine::isSameText);
        return modified == null || !sharedBefore || modified.isAfter(newest.when());
    }

    private static long number(String id) {
        return id.isEmpty() ? 0 : Long.parseLong(id.substring(0, id.indexOf('-')));
    }
}
