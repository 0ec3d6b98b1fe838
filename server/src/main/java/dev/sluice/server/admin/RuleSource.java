package dev.sluice.server.admin;

import dev.sluice.rules.RuleEngine;
import dev.sluice.rules.file.RuleFile;
import dev.sluice.server.admin.RuleVersion.Origin;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Where the rules come from: the rule file, the admin port, and through the board the other servers.
 *
 * <p>Whatever is newest holds: what was put holds until the file changes again, and the other way round. See {@link
 * RuleSync} for when a file is news. Bad rules change nothing, and are shown.
 *
 * <p>One thread sees to all of it, so that one change is done with before the next one starts.
 */
public final class RuleSource implements AutoCloseable {
    static final int MOST_VERSIONS = 20;
    static final int MOST_BYTES = 4 * 1024 * 1024;
    private static final System.Logger LOG = System.getLogger(RuleSource.class.getName());
    private static final long LOOK_EVERY_MILLIS = 200;
    private static final int LOOKS_PER_GLANCE = 2;
    private static final int LOOKS_PER_SWEEP = 300;
    private static final long START_SECONDS = 5;

    /**
     * The rules that a server starts with, which are in force already.
     *
     * @param name of the file, for messages
     * @param text of the file
     * @param file to watch; null if the rules are built in
     */
    public record Start(String name, String text, @Nullable Path file) {
        /** The rules that are built in. */
        public static Start example() {
            return new Start("example-rules.yaml", RuleFile.exampleText(), null);
        }

        /**
         * A rule file, which is watched from then on.
         *
         * @throws UncheckedIOException if it cannot be read
         */
        public static Start of(Path file) {
            try {
                return new Start(file.toString(), RuleWatch.read(file), file);
            } catch (IOException e) {
                throw new UncheckedIOException(file + " cannot be read: " + e, e);
            }
        }
    }

    private final RuleBoard board;
    private final RuleSync sync;
    private final Holds holds;
    private final RulesInForce rules;
    private final @Nullable RuleWatch watch;
    private final String fileName;
    private final Clock clock = Clock.tickMillis(ZoneOffset.UTC);
    private final ScheduledThreadPoolExecutor thread = new ScheduledThreadPoolExecutor(1, task -> {
        Thread made = new Thread(task, "sluice-rules");
        made.setDaemon(true);
        return made;
    });
    private long looks;
    private @Nullable String toldTrouble;
    private String toldFailure = "";

    RuleSource(RuleTarget target, Start start, RuleBoard board) {
        this.board = board;
        this.fileName = start.name();
        Path file = start.file();
        this.watch = file == null ? null : new RuleWatch(file, start.text(), MOST_BYTES);
        Origin origin = file == null ? Origin.EMBEDDED : Origin.FILE;
        RuleVersion first = new RuleVersion(1, origin, fileName, clock.instant(), start.text());
        this.holds = new Holds(target, board, clock);
        this.rules = new RulesInForce(target, holds, first, clock);
        this.sync = new RuleSync(board, rules, holds, watch == null ? Instant.EPOCH : watch.modified());
    }

    /** Rules for this server alone. */
    public static RuleSource local(RuleEngine engine, Start start) {
        Set<String> stores = Set.of(engine.rules().store());
        return new RuleSource(new EngineTarget(engine, start.name(), stores), start, new LocalBoard(MOST_VERSIONS))
                .begin();
    }

    /**
     * Rules shared with every server that counts in the same Redis. It need not be there yet.
     *
     * @param url where it is, as for {@link dev.sluice.redis.RedisStoreBuilder#url}
     * @param prefix what the names of its keys begin with
     */
    public static RuleSource shared(RuleEngine engine, Start start, String url, String prefix) {
        Set<String> stores = new HashSet<>(List.of(engine.rules().store(), url));
        RuleBoard board = new RedisBoard(url, prefix, MOST_VERSIONS);
        return new RuleSource(new EngineTarget(engine, start.name(), stores), start, board).begin();
    }

    /** Begins to look, and returns when the board has been asked once, if it answers. */
    RuleSource begin() {
        CompletableFuture<Boolean> looked = run(sync::look);
        looked.completeOnTimeout(false, START_SECONDS, TimeUnit.SECONDS)
                .exceptionally(failure -> false)
                .join();
        thread.scheduleWithFixedDelay(this::look, LOOK_EVERY_MILLIS, LOOK_EVERY_MILLIS, TimeUnit.MILLISECONDS);
        return this;
    }

    RulesInForce rules() {
        return rules;
    }

    Holds holds() {
        return holds;
    }

    /** Puts rules in force everywhere; a failure is a {@link HttpProblem.Refusal}. */
    CompletableFuture<RuleVersion> put(String text, String who, @Nullable String ifMatch) {
        return run(() -> sync.post(() -> new RuleVersion(0, Origin.PUT, who, clock.instant(), text), ifMatch));
    }

    /** Puts an earlier version in force again, as a new one. */
    CompletableFuture<RuleVersion> rollBack(long number, String who, @Nullable String ifMatch) {
        return run(() -> {
            String text = version(sync.versions(), number).text();
            return sync.post(() -> new RuleVersion(0, Origin.ROLLBACK, who, clock.instant(), text), ifMatch);
        });
    }

    /** The versions that are kept, the newest first. */
    CompletableFuture<List<RuleVersion>> versions() {
        return run(sync::versions);
    }

    /** Puts in force what holds for a key, and whether everywhere: the board may have to wait. */
    CompletableFuture<Boolean> hold(KeyHold hold) {
        return run(() -> holds.put(hold));
    }

    /** Ends what holds for a key, and whether everywhere. */
    CompletableFuture<Boolean> drop(String name) {
        return run(() -> holds.drop(name));
    }

    static RuleVersion version(List<RuleVersion> versions, long number) {
        return versions.stream()
                .filter(version -> version.number() == number)
                .findFirst()
                .orElseThrow(() -> HttpProblem.of(
                                404,
                                "no-such-version",
                                "there is no version " + number
                                        + "; kept are the last " + MOST_VERSIONS + ", the newest is "
                                        + (versions.isEmpty()
                                                ? "none"
                                                : versions.get(0).number()))
                        .refusal());
    }

    @Override
    public void close() {
        thread.shutdown();
        try {
            if (!thread.awaitTermination(START_SECONDS, TimeUnit.SECONDS)) {
                thread.shutdownNow();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        board.close();
    }

    private void look() {
        try {
            looks++;
            lookAtFile();
            if (looks % LOOKS_PER_GLANCE == 0) {
                sync.look();
            }
            if (looks % LOOKS_PER_SWEEP == 0) {
                holds.sweep();
            }
            toldFailure = "";
        } catch (RuntimeException e) {
            if (!toldFailure.equals(e.toString())) {
                toldFailure = e.toString();
                LOG.log(System.Logger.Level.WARNING, "the rules could not be looked after: {0}", toldFailure);
            }
        }
    }

    private void lookAtFile() {
        if (watch == null) {
            return;
        }
        watch.look().ifPresent(this::fileChanged);
        String trouble = watch.trouble();
        if (trouble != null && !trouble.equals(toldTrouble)) {
            refused(List.of(new RuleProblem(trouble, 0, 0)));
        } else if (trouble == null && toldTrouble != null) {
            rules.settled();
        }
        toldTrouble = trouble;
    }

    private void fileChanged(String text) {
        try {
            rules.check(text);
        } catch (RuleTarget.BadRules bad) {
            refused(bad.problems);
            return;
        }
        rules.settled();
        sync.fileChanged(new RuleVersion(0, Origin.FILE, fileName, clock.instant(), text));
    }

    private void refused(List<RuleProblem> problems) {
        rules.refused(new RuleTrouble(fileName, clock.instant(), problems));
    }

    private <T> CompletableFuture<T> run(Callable<T> work) {
        CompletableFuture<T> future = new CompletableFuture<>();
        try {
            thread.execute(() -> {
                try {
                    future.complete(work.call());
                } catch (Exception e) {
                    future.completeExceptionally(told(e));
                }
            });
        } catch (RejectedExecutionException stopped) {
            future.completeExceptionally(
                    HttpProblem.of(503, "stopping", "the server is stopping").refusal());
        }
        return future;
    }

    private static Exception told(Exception e) {
        if (e instanceof RuleBoard.Unreachable) {
            return HttpProblem.of(
                            503,
                            "board-unreachable",
                            "nothing was changed: the servers share their rules through Redis, and " + e.getMessage())
                    .refusal();
        }
        if (e instanceof RuleTarget.BadRules bad) {
            return HttpProblem.of(
                            400,
                            "bad-rules",
                            "the rules stay as they were: " + bad.problems.size()
                                    + (bad.problems.size() == 1 ? " problem" : " problems"))
                    .with("problems", RuleTrouble.array(bad.problems))
                    .refusal();
        }
        return e;
    }
}
