package dev.sluice.server.ruleset;

import dev.sluice.rules.engine.RuleEngine;
import dev.sluice.rules.watch.WatchedFile;
import dev.sluice.rules.watch.Watcher;
import dev.sluice.server.ruleset.RejectedRules.BadRulesException;
import dev.sluice.server.ruleset.RuleVersion.Origin;
import dev.sluice.server.web.HttpProblem;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Changes the rules of a running server when the rule file changes, when an admin asks for it, and when another server has
 * changed the shared rules.
 *
 * <p>The newest change wins: what an admin put stays in force until the file changes again, and the other way round. See
 * {@link RuleSync} for when a file is newer. Bad rules change nothing, and are shown.
 *
 * <p>All of it happens on one thread, so that a change is complete before the next one starts.
 */
public final class RuleUpdater implements AutoCloseable {
    static final int MAX_VERSIONS = 20;
    private static final Duration FILE_PAUSE = Duration.ofMillis(200);
    private static final Duration SYNC_PAUSE = Duration.ofMillis(400);
    private static final Duration EXPIRY_PAUSE = Duration.ofMinutes(1);
    private static final long START_SECONDS = 5;

    private final SharedRules shared;
    private final RuleSync sync;
    private final TemporaryOverrides overrides;
    private final ActiveRules active;
    private final @Nullable WatchedFile file;
    private final String fileName;
    private final Clock clock = Clock.tickMillis(ZoneOffset.UTC);
    private final Watcher watcher = new Watcher("rules");
    private @Nullable String shownProblem;

    private RuleUpdater(RuleEngine engine, InitialRules start, Set<String> stores, SharedRules shared) {
        this.shared = shared;
        this.fileName = start.name();
        Path path = start.file();
        this.file = path == null ? null : new WatchedFile(path, start.text());
        Origin origin = path == null ? Origin.EMBEDDED : Origin.FILE;
        RuleVersion first = new RuleVersion(1, origin, fileName, clock.instant(), start.text());
        this.overrides = new TemporaryOverrides(engine, shared, clock);
        this.active = new ActiveRules(engine, fileName, stores, overrides, first, start.warnings(), clock);
        this.sync = new RuleSync(shared, active, overrides, file == null ? Instant.EPOCH : file.modified());
    }

    /** Rules for this server alone. The engine has the initial rules. */
    public static RuleUpdater local(RuleEngine engine, InitialRules start) {
        return new RuleUpdater(engine, start, Set.of(start.rules().store()), new LocalRules(MAX_VERSIONS)).begin();
    }

    /**
     * Rules shared with every server that counts in the same Redis, which need not be there yet. The engine has the initial
     * rules.
     *
     * @param url the address of the Redis, as for {@link dev.sluice.redis.RedisStoreBuilder#url}
     * @param prefix the prefix of the names of its keys
     */
    public static RuleUpdater shared(RuleEngine engine, InitialRules start, String url, String prefix) {
        Set<String> stores = Set.copyOf(List.of(start.rules().store(), url));
        return new RuleUpdater(engine, start, stores, new RedisRules(url, prefix, MAX_VERSIONS)).begin();
    }

    /** Begins to watch. Returns when the shared rules have been read once, or cannot be. */
    private RuleUpdater begin() {
        run(sync::synchronize)
                .completeOnTimeout(false, START_SECONDS, TimeUnit.SECONDS)
                .exceptionally(failure -> false)
                .join();
        if (file != null) {
            watcher.repeat(FILE_PAUSE, () -> look(file));
        }
        watcher.repeat(SYNC_PAUSE, sync::synchronize);
        watcher.repeat(EXPIRY_PAUSE, overrides::removeExpired);
        return this;
    }

    public ActiveRules active() {
        return active;
    }

    public TemporaryOverrides overrides() {
        return overrides;
    }

    public Watcher watcher() {
        return watcher;
    }

    /** Puts rules in force on all servers; a failure is an {@link HttpProblem}. */
    public CompletableFuture<RuleVersion> put(String text, String who, @Nullable String ifMatch) {
        return run(() -> publish(Origin.PUT, who, text, ifMatch));
    }

    /** Puts an earlier version in force again, as a new one. */
    public CompletableFuture<RuleVersion> rollBack(long number, String who, @Nullable String ifMatch) {
        return run(() ->
                publish(Origin.ROLLBACK, who, version(sync.versions(), number).text(), ifMatch));
    }

    private RuleVersion publish(Origin origin, String who, String text, @Nullable String ifMatch) {
        return sync.publish(active.parse(new RuleVersion(0, origin, who, clock.instant(), text)), ifMatch);
    }

    /** The versions that are kept, the newest first. */
    public CompletableFuture<List<RuleVersion>> versions() {
        return run(sync::versions);
    }

    /** Puts an override in force on this server; returns whether the other servers have it, too. */
    public CompletableFuture<Boolean> put(TemporaryOverride override) {
        return run(() -> overrides.put(override));
    }

    /** Ends an override on this server; returns whether the other servers know, too. */
    public CompletableFuture<Boolean> remove(TemporaryOverride override) {
        return run(() -> overrides.remove(override.name()));
    }

    /** The version of this number; an {@link HttpProblem} if there is none. */
    public static RuleVersion version(List<RuleVersion> versions, long number) {
        return versions.stream()
                .filter(version -> version.number() == number)
                .findFirst()
                .orElseThrow(() -> HttpProblem.of(
                        404,
                        "no-such-version",
                        "there is no version " + number + "; kept are the last " + MAX_VERSIONS + ", the newest is "
                                + (versions.isEmpty() ? "none" : versions.get(0).number())));
    }

    @Override
    public void close() {
        watcher.close();
        shared.close();
    }

    private void look(WatchedFile file) {
        file.look().ifPresent(this::fileChanged);
        String problem = file.problem();
        if (problem != null && !problem.equals(shownProblem)) {
            watcher.failed();
            active.reject(fileName, List.of(new RuleProblem(problem, 0, 0)));
        } else if (problem == null && shownProblem != null) {
            active.clearRejected();
        }
        shownProblem = problem;
    }

    private void fileChanged(String text) {
        ActiveRules.Candidate candidate;
        try {
            candidate = active.parse(new RuleVersion(0, Origin.FILE, fileName, clock.instant(), text));
        } catch (BadRulesException bad) {
            active.reject(fileName, bad.problems);
            return;
        }
        active.clearRejected();
        sync.fileChanged(candidate);
    }

    private <T> CompletableFuture<T> run(Supplier<T> work) {
        CompletableFuture<T> future = new CompletableFuture<>();
        try {
            watcher.execute(() -> {
                try {
                    future.complete(work.get());
                } catch (Throwable e) {
                    future.completeExceptionally(asProblem(e));
                }
            });
        } catch (RejectedExecutionException stopped) {
            future.completeExceptionally(HttpProblem.of(503, "stopping", "the server is stopping"));
        }
        return future;
    }

    private static Throwable asProblem(Throwable e) {
        if (e instanceof SharedRules.UnreachableException) {
            return HttpProblem.of(
                    503,
                    "shared-rules-unreachable",
                    "nothing was changed: the servers share their rules through Redis, and " + e.getMessage());
        }
        if (e instanceof BadRulesException bad) {
            return HttpProblem.of(400, "bad-rules", "the rules stay as they were: " + bad.getMessage())
                    .with("problems", RejectedRules.array(bad.problems));
        }
        return e;
    }
}
