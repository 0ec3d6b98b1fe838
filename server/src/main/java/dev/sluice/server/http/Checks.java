package dev.sluice.server.http;

import dev.sluice.Outcome;
import dev.sluice.rules.RateLimitHeaders;
import dev.sluice.rules.RuleDecision;
import dev.sluice.rules.RuleEngine;
import dev.sluice.rules.Verdict;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Puts checks to the rules and tells what they say, without a thread that waits. A client that hangs up while it waits
 * takes nothing. One for each event loop.
 */
final class Checks {
    private static final System.Logger LOG = System.getLogger(Checks.class.getName());

    private final Vertx vertx;
    private final RuleEngine engine;
    private final Leases leases;
    private final LongConsumer took;
    private final Policies policies = new Policies();
    private final Answer answer = new Answer(policies);

    Checks(Vertx vertx, RuleEngine engine, Leases leases, LongConsumer took) {
        this.vertx = vertx;
        this.engine = engine;
        this.leases = leases;
        this.took = took;
    }

    /** Answers one check, with 200 or 429. */
    void one(HttpServerRequest request, Check check) {
        long began = System.nanoTime();
        CompletableFuture<Verdict> asked = engine.check(check.request());
        await(request, asked, () -> asked.cancel(false), verdict -> {
            took.accept(System.nanoTime() - began);
            if (!holds(verdict)) {
                answer.send(request.response(), verdict, null);
                return;
            }
            String lease = leases.grant(verdict, check.leaseMillis());
            if (lease != null) {
                answer.send(request.response(), verdict, lease);
            } else {
                full(request, List.of(verdict));
            }
        });
    }

    /** Answers for nginx, with 204 or 403. It cannot give anything back, so what is held runs out by itself. */
    void nginx(HttpServerRequest request, Check check) {
        long began = System.nanoTime();
        CompletableFuture<Verdict> asked = engine.check(check.request());
        await(request, asked, () -> asked.cancel(false), verdict -> {
            took.accept(System.nanoTime() - began);
            if (holds(verdict) && leases.grant(verdict, check.leaseMillis()) == null) {
                full(request, List.of(verdict));
                return;
            }
            long delayMicros = verdict.allowed() ? Answer.delayMicros(verdict) : 0;
            if (delayMicros == 0) {
                answer.sendHead(request.response(), verdict);
            } else {
                long millis = TimeUnit.MICROSECONDS.toMillis(delayMicros) + 1;
                vertx.setTimer(
                        millis,
                        due -> ended(request, verdict, null, late -> {
                            answer.sendHead(request.response(), late);
                        }));
            }
        });
    }

    /** Answers a list of checks, with 200 and what each of them came to. */
    void list(HttpServerRequest request, List<Check> checks) {
        long began = System.nanoTime();
        List<CompletableFuture<Verdict>> asked = new ArrayList<>(checks.size());
        for (Check check : checks) {
            asked.add(engine.check(check.request()));
        }
        CompletableFuture<List<Verdict>> all = CompletableFuture.allOf(asked.toArray(CompletableFuture<?>[]::new))
                .thenApply(done -> asked.stream().map(CompletableFuture::join).toList());
        await(request, all, () -> asked.forEach(each -> each.cancel(false)), verdicts -> {
            took.accept(System.nanoTime() - began);
            List<String> ids = new ArrayList<>(verdicts.size());
            for (int i = 0; i < verdicts.size(); i++) {
                Verdict verdict = verdicts.get(i);
                String lease =
                        holds(verdict) ? leases.grant(verdict, checks.get(i).leaseMillis()) : "";
                if (lease == null) {
                    ids.forEach(leases::forget);
                    full(request, verdicts);
                    return;
                }
                ids.add(lease);
            }
            answer.sendList(request.response(), verdicts, ids);
        });
    }

    /** Whether a verdict took permits that are held until they are freed. */
    private boolean holds(Verdict verdict) {
        List<RuleDecision> rulings = verdict.decisions();
        for (int i = 0; i < rulings.size(); i++) {
            RuleDecision ruling = rulings.get(i);
            if (policies.of(ruling).holds()
                    && verdict.allowed()
                    && ruling.decision().outcome() == Outcome.ALLOWED
                    && ruling.decision().permits() > 0) {
                return true;
            }
        }
        return false;
    }

    /** Gives everything back, since nobody could free it. */
    private void full(HttpServerRequest request, List<Verdict> verdicts) {
        verdicts.forEach(engine::refund);
        request.response().putHeader(RateLimitHeaders.RETRY_AFTER, "1");
        Problem.send(request, 503, "there are too many leases; free some with DELETE /v1/leases/{id}");
    }

    /** Goes on when the answer is there, which in memory it is at once. */
    private <T> void await(HttpServerRequest request, CompletableFuture<T> asked, Runnable cancel, Consumer<T> goOn) {
        if (asked.isDone() && !asked.isCompletedExceptionally()) {
            goOn.accept(asked.join());
            return;
        }
        request.response().closeHandler(gone -> cancel.run());
        Context context = vertx.getOrCreateContext();
        asked.whenComplete((told, failure) -> context.runOnContext(turn -> ended(request, told, failure, goOn)));
    }

    private <T> void ended(HttpServerRequest request, T told, @Nullable Throwable failure, Consumer<T> goOn) {
        HttpServerResponse response = request.response();
        if (response.closed()) {
            return;
        }
        if (failure == null) {
            goOn.accept(told);
        } else {
            LOG.log(System.Logger.Level.ERROR, "a check failed", failure);
            Problem.send(request, 500, "the check failed; the log of the server says why");
        }
    }
}
