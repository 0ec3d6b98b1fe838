package dev.sluice.server.check;

import dev.sluice.Outcome;
import dev.sluice.rules.RateLimitHeaders;
import dev.sluice.rules.RuleDecision;
import dev.sluice.rules.RuleEngine;
import dev.sluice.rules.Verdict;
import dev.sluice.server.web.HttpProblem;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Decides checks by the rules and writes the response, without blocking a thread. A client that hangs up while it waits
 * takes nothing. One for each event loop.
 */
final class CheckService {
    private static final System.Logger LOG = System.getLogger(CheckService.class.getName());

    private final Vertx vertx;
    private final RuleEngine engine;
    private final HeldPermits held;
    private final CheckListener listener;
    private final PolicyCache policies = new PolicyCache();
    private final VerdictWriter writer;

    CheckService(Vertx vertx, RuleEngine engine, HeldPermits held, CheckListener listener, HeaderFields fields) {
        this.vertx = vertx;
        this.engine = engine;
        this.held = held;
        this.listener = listener;
        this.writer = new VerdictWriter(policies, fields);
    }

    /** Answers one check with 200 or 429. */
    void one(HttpServerRequest request, CheckRequest check) {
        long began = System.nanoTime();
        CompletableFuture<Verdict> future = engine.check(check.request());
        await(request, future, () -> future.cancel(false), verdict -> {
            listener.decided(request, began, verdict);
            if (!holds(verdict)) {
                writer.send(request.response(), verdict, null);
                return;
            }
            String hold = held.add(verdict, check.leaseMillis());
            if (hold != null) {
                writer.send(request.response(), verdict, hold);
            } else {
                tooManyHolds(request, List.of(verdict));
            }
        });
    }

    /** Answers nginx with 204 or 403. Since nginx cannot release a hold, its lease ends it. */
    void nginx(HttpServerRequest request, CheckRequest check) {
        long began = System.nanoTime();
        CompletableFuture<Verdict> future = engine.check(check.request());
        await(request, future, () -> future.cancel(false), verdict -> {
            listener.decided(request, began, verdict);
            if (holds(verdict) && held.add(verdict, check.leaseMillis()) == null) {
                tooManyHolds(request, List.of(verdict));
                return;
            }
            long delayMicros = verdict.allowed() ? VerdictWriter.delayMicros(verdict) : 0;
            if (delayMicros == 0) {
                writer.sendHead(request.response(), verdict);
            } else {
                long millis = TimeUnit.MICROSECONDS.toMillis(delayMicros) + 1;
                vertx.setTimer(
                        millis,
                        due -> ended(request, verdict, null, late -> {
                            writer.sendHead(request.response(), late);
                        }));
            }
        });
    }

    /** Answers a list of checks with 200 and the verdict on each. */
    void list(HttpServerRequest request, List<CheckRequest> checks) {
        long began = System.nanoTime();
        List<CompletableFuture<Verdict>> futures = new ArrayList<>(checks.size());
        for (CheckRequest check : checks) {
            futures.add(engine.check(check.request()));
        }
        CompletableFuture<List<Verdict>> all = CompletableFuture.allOf(futures.toArray(CompletableFuture<?>[]::new))
                .thenApply(done -> futures.stream().map(CompletableFuture::join).toList());
        await(request, all, () -> futures.forEach(each -> each.cancel(false)), verdicts -> {
            listener.decided(request, began, verdicts);
            List<String> ids = new ArrayList<>(verdicts.size());
            for (int i = 0; i < verdicts.size(); i++) {
                Verdict verdict = verdicts.get(i);
                String hold = holds(verdict) ? held.add(verdict, checks.get(i).leaseMillis()) : "";
                if (hold == null) {
                    ids.forEach(held::remove);
                    tooManyHolds(request, verdicts);
                    return;
                }
                ids.add(hold);
            }
            writer.sendList(request.response(), verdicts, ids);
        });
    }

    /** Whether a verdict took permits of a concurrency limit. */
    private boolean holds(Verdict verdict) {
        List<RuleDecision> ruleDecisions = verdict.decisions();
        for (int i = 0; i < ruleDecisions.size(); i++) {
            RuleDecision ruleDecision = ruleDecisions.get(i);
            if (policies.of(ruleDecision).holds()
                    && verdict.allowed()
                    && ruleDecision.decision().outcome() == Outcome.ALLOWED
                    && ruleDecision.decision().permits() > 0) {
                return true;
            }
        }
        return false;
    }

    /** Refunds everything, since without an id nobody could release it. */
    private void tooManyHolds(HttpServerRequest request, List<Verdict> verdicts) {
        verdicts.forEach(engine::refund);
        request.response().putHeader(RateLimitHeaders.RETRY_AFTER, "1");
        HttpProblem.of(503, "there are too many holds; release some with DELETE /v1/holds/{id}")
                .send(request);
    }

    /** Continues when the decision is there, which in memory it is at once. */
    private <T> void await(HttpServerRequest request, CompletableFuture<T> future, Runnable cancel, Consumer<T> next) {
        if (future.isDone() && !future.isCompletedExceptionally()) {
            next.accept(future.join());
            return;
        }
        request.response().closeHandler(gone -> cancel.run());
        Context context = vertx.getOrCreateContext();
        future.whenComplete((result, failure) -> context.runOnContext(turn -> ended(request, result, failure, next)));
    }

    private <T> void ended(HttpServerRequest request, T result, @Nullable Throwable failure, Consumer<T> next) {
        HttpServerResponse response = request.response();
        if (response.closed()) {
            return;
        }
        if (failure == null) {
            next.accept(result);
        } else {
            LOG.log(System.Logger.Level.ERROR, "a check failed", failure);
            HttpProblem.of(500, "the check failed; the log of the server says why")
                    .send(request);
        }
    }
}
