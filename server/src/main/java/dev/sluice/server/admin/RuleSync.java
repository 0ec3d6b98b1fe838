package dev.sluice.server.admin;

import dev.sluice.server.admin.RuleVersion.Origin;
import java.time.Instant;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the rules in force here and those on the board the same. Used by one thread.
 *
 * <p>How it is decided whether a file is news. A fleet is given a new file one server after the other, and servers restart
 * at any time, with the file they had; so that a file that differs from the rules in force need not be newer than they are.
 * It is not news if
 *
 * <ol>
 *   <li>it is what the board shows;
 *   <li>it is the newest version that came from a file: what was put since then holds;
 *   <li>at the start of a server: it came from a file before, and was last written before the board's newest version;
 *   <li>it is not a file but the rules that are built in, and the board has any.
 * </ol>
 *
 * <p>Then the board's newest version holds; otherwise the file becomes the next one.
 */
final class RuleSync {
    private static final int ATTEMPTS = 5;

    private final RuleBoard board;
    private final RulesInForce rules;
    private final Holds holds;
    /** When the file that the server started with was written; null once that no longer matters. */
    private @Nullable Instant startModified;
    /** What the board does not have yet; null if there is nothing of the kind. */
    private @Nullable RuleVersion pending;

    RuleSync(RuleBoard board, RulesInForce rules, Holds holds, Instant startModified) {
        this.board = board;
        this.rules = rules;
        this.holds = holds;
        this.startModified = startModified;
        this.pending = rules.version();
    }

    /** Puts a changed file in force here, whether the board can be asked or not. The file is a good one. */
    void fileChanged(RuleVersion file) {
        startModified = null;
        pending = file.after(rules.version().number());
        if (!look()) {
            rules.adopt(pending);
        }
    }

    /** Looks at the board, and whether it could be asked. */
    boolean look() {
        try {
            RuleBoard.Glance glance = board.glance();
            follow(glance);
            holds.follow(glance);
            rules.boardReachable(true);
            return true;
        } catch (RuleBoard.Unreachable e) {
            rules.boardReachable(false);
            return false;
        }
    }

    /** Puts up a version that somebody asked for, and in force. {@code ifMatch} is the version they have seen. */
    RuleVersion post(Supplier<RuleVersion> asked, @Nullable String ifMatch) {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            String newest = newest();
            if (ifMatch != null && !ifMatch.equals(newest)) {
                throw HttpProblem.of(
                                412,
                                "rules-changed",
                                "the rules are at \"" + newest + "\" and not at \"" + ifMatch
                                        + "\" any more: get them again")
                        .with("etag", newest)
                        .refusal();
            }
            RuleVersion version = asked.get().after(number(newest));
            rules.check(version.text());
            if (newest.equals(rules.version().id()) && version.isSameText(rules.version())) {
                return rules.version();
            }
            if (board.post(newest, version)) {
                rules.adopt(version);
                return version;
            }
        }
        throw HttpProblem.of(409, "rules-changed", "the rules kept changing meanwhile: try again")
                .refusal();
    }

    List<RuleVersion> versions() {
        newest();
        return board.versions();
    }

    /** The id of the board's newest version, with everything that was pending on it. */
    private String newest() {
        follow(board.glance());
        return board.glance().version();
    }

    private void follow(RuleBoard.Glance glance) {
        if (pending == null && glance.version().isEmpty()) {
            pending = rules.version().after(rules.version().number()); // the board has lost everything
            holds.putUpAgain();
        }
        if (pending != null) {
            settle(pending);
        } else if (!rules.isKnown(glance.version())) {
            board.versions().stream().findFirst().ifPresent(rules::adopt);
        }
    }

    private void settle(RuleVersion mine) {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            List<RuleVersion> versions = board.versions();
            RuleVersion newest = versions.isEmpty() ? null : versions.get(0);
            if (newest != null && !isNews(mine, versions)) {
                pending = null;
                rules.adopt(newest);
                return;
            }
            RuleVersion next = newest == null ? mine : mine.after(newest.number());
            if (board.post(newest == null ? "" : newest.id(), next)) {
                pending = null;
                rules.adopt(next);
                return;
            }
        }
    }

    private boolean isNews(RuleVersion mine, List<RuleVersion> versions) {
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
        boolean known = files.stream().anyMatch(mine::isSameText);
        return modified == null || !known || modified.isAfter(newest.when());
    }

    private static long number(String id) {
        return id.isEmpty() ? 0 : Long.parseLong(id.substring(0, id.indexOf('-')));
    }
}
