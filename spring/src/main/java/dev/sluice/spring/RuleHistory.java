package dev.sluice.spring;

import dev.sluice.rules.RuleSet;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The last versions of the rules, and what is wrong with newer ones that were rejected. */
final class RuleHistory {
    /** As many as the server keeps. */
    static final int MAX_VERSIONS = 20;

    private final InstantSource clock;
    private final Deque<RuleVersion> versions = new ArrayDeque<>();
    private @Nullable RejectedRules rejected;
    private long rejections;

    RuleHistory(InstantSource clock, RuleSet first) {
        this.clock = clock;
        add(RuleVersion.Origin.START, first);
    }

    synchronized RuleVersion add(RuleVersion.Origin origin, RuleSet rules) {
        long number = versions.isEmpty() ? 1 : versions.getFirst().number() + 1;
        RuleVersion version = new RuleVersion(number, origin, now(), rules);
        versions.addFirst(version);
        if (versions.size() > MAX_VERSIONS) {
            versions.removeLast();
        }
        rejected = null;
        return version;
    }

    synchronized RejectedRules reject(String where, List<String> problems) {
        rejections++;
        rejected = new RejectedRules(where, now(), problems);
        return rejected;
    }

    /** What was wrong is wrong no more, and the rules in force are the newest. */
    synchronized void clearRejected() {
        rejected = null;
    }

    /** The newest first. */
    synchronized List<RuleVersion> versions() {
        return List.copyOf(versions);
    }

    synchronized @Nullable RejectedRules rejected() {
        return rejected;
    }

    synchronized long rejections() {
        return rejections;
    }

    /**
     * The version of this number.
     *
     * @throws IllegalArgumentException if it is not kept
     */
    synchronized RuleVersion version(long number) {
        return versions.stream()
                .filter(version -> version.number() == number)
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("there is no version " + number + "; kept are "
                        + versions.getLast().number() + " to "
                        + versions.getFirst().number()));
    }

    private Instant now() {
        return clock.instant().truncatedTo(ChronoUnit.MILLIS);
    }
}
