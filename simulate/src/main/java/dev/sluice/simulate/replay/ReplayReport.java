package dev.sluice.simulate.replay;

import dev.sluice.Store;
import dev.sluice.StoreBuilder;
import dev.sluice.rules.Verdict;
import dev.sluice.simulate.log.LogAttributes;
import dev.sluice.simulate.log.LogEntry;
import dev.sluice.simulate.log.LogSummary;
import dev.sluice.simulate.log.file.LogSource;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;

/**
 * A log replayed on rules, and perhaps on other rules beside them.
 *
 * @param log what was read
 * @param result what the rules did
 * @param other what the other rules did; empty if there are none
 * @param change what the other rules did otherwise
 */
public record ReplayReport(LogSummary log, ReplayResult result, Optional<ReplayResult> other, Change change) {
    /**
     * Where two sets of rules differ.
     *
     * @param denied how many requests the other rules denied that the first allowed
     * @param allowed how many requests the other rules allowed that the first denied
     */
    public record Change(long denied, long allowed) {}

    /** Replays logs on rules. */
    public static ReplayReport of(LogSource logs, ReplayRules rules) {
        return of(logs, rules, Optional.empty());
    }

    /**
     * Replays logs on rules, and on others beside them: both see each request at the same time.
     *
     * @throws ReplayException if the logs lack what a rule asks for
     */
    public static ReplayReport of(LogSource logs, ReplayRules rules, Optional<ReplayRules> others) {
        return of(logs, rules, others, Store.builder(), () -> false);
    }

    /**
     * The same, within bounds.
     *
     * @param maxBytes how much memory each set of rules has to count in
     * @param over asked before each request: once it is true, no further request is replayed
     */
    public static ReplayReport of(
            LogSource logs, ReplayRules rules, Optional<ReplayRules> others, long maxBytes, BooleanSupplier over) {
        return of(logs, rules, others, Store.builder().maxBytes(maxBytes), over);
    }

    private static ReplayReport of(
            LogSource logs, ReplayRules rules, Optional<ReplayRules> others, StoreBuilder store, BooleanSupplier over) {
        LogAttributes attributes = attributes(logs, rules, others);
        if (others.isEmpty()) {
            try (Replay replay = new Replay(rules, attributes, store)) {
                logs.read(attributes, entry -> {
                    if (!over.getAsBoolean()) {
                        replay.decide(entry);
                    }
                });
                ReplayResult result = replay.finish();
                return new ReplayReport(logs.summary(), result, Optional.empty(), new Change(0, 0));
            }
        }
        try (Replay replay = new Replay(rules, attributes, store);
                Replay other = new Replay(others.get(), attributes, store)) {
            Comparison comparison = new Comparison(replay, other);
            logs.read(attributes, entry -> {
                if (!over.getAsBoolean()) {
                    comparison.decide(entry);
                }
            });
            ReplayResult result = replay.finish();
            ReplayResult otherResult = other.finish();
            return new ReplayReport(logs.summary(), result, Optional.of(otherResult), comparison.change());
        }
    }

    /** The attributes that the rules look at, which the logs must have. */
    private static LogAttributes attributes(LogSource logs, ReplayRules rules, Optional<ReplayRules> others) {
        Set<String> wanted = new LinkedHashSet<>(rules.attributes());
        rules.check(logs.files());
        others.ifPresent(other -> {
            wanted.addAll(other.attributes());
            other.check(logs.files());
        });
        if (logs.files().stream().anyMatch(file -> file.attributes().contains(LogAttributes.COST))) {
            wanted.add(LogAttributes.COST);
        }
        return LogAttributes.of(wanted);
    }

    /** Counts where two replays differ. */
    private static final class Comparison {
        private final Replay one;
        private final Replay other;
        private long denied;
        private long allowed;

        Comparison(Replay one, Replay other) {
            this.one = one;
            this.other = other;
        }

        void decide(LogEntry entry) {
            CompletableFuture<Verdict> ofOther = other.decide(entry);
            one.decide(entry).thenAcceptBoth(ofOther, this::compare);
        }

        private void compare(Verdict verdict, Verdict ofOther) {
            denied += verdict.allowed() && !ofOther.allowed() ? 1 : 0;
            allowed += !verdict.allowed() && ofOther.allowed() ? 1 : 0;
        }

        Change change() {
            return new Change(denied, allowed);
        }
    }
}
