package dev.sluice.server.check;

import dev.sluice.rules.RateLimitHeaders;
import dev.sluice.rules.Request;
import dev.sluice.rules.RuleDecision;
import dev.sluice.rules.Verdict;
import dev.sluice.rules.engine.RuleEngine;
import dev.sluice.server.record.Recorder;
import dev.sluice.server.web.HttpProblem;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Decides checks by the rules and writes the response, without blocking a thread. One for each event loop.
 *
 * <p>A client that hangs up before it has its response takes nothing: what was taken for it is refunded, and holds are
 * released. Permits that are held get their lease when the response is about to be sent.
 */
final class CheckService {
    private static final System.Logger LOG = System.getLogger(CheckService.class.getName());

    private final Vertx vertx;
    private final RuleEngine engine;
    private final CheckListener listener;
    private final @Nullable Recorder recorder;
    private final PolicyCache policies = new PolicyCache();
    private final VerdictWriter writer;

    CheckService(
            Vertx vertx, RuleEngine engine, CheckListener listener, @Nullable Recorder recorder, HeaderFields fields) {
        this.vertx = vertx;
        this.engine = engine;
        this.listener = listener;
        this.recorder = recorder;
        this.writer = new VerdictWriter(policies, fields);
    }

    /** Answers one check with 200 or 429; {@code lease} is the one that the client asks for. */
    void one(HttpServerRequest request, Request check, @Nullable Duration lease) {
        decide(request, check, verdict -> {
            if (mayHold(verdict)) {
                lease(request, lease, verdict, token -> writer.send(request.response(), verdict, token));
            } else {
                writer.send(request.response(), verdict, null);
            }
        });
    }

    /** Answers nginx with 204 or 403. Since nginx cannot release a hold, its lease ends it. */
    void nginx(HttpServerRequest request, Request check) {
        decide(request, check, verdict -> {
            long delayMicros = verdict.delayMicros();
            if (delayMicros == 0) {
                sendHead(request, verdict);
                return;
            }
            long millis = TimeUnit.MICROSECONDS.toMillis(delayMicros) + 1;
            long timer = vertx.setTimer(millis, due -> sendHead(request, verdict));
            request.response().closeHandler(gone -> {
                if (vertx.cancelTimer(timer)) {
                    engine.refund(verdict);
                }
            });
        });
    }

    private void sendHead(HttpServerRequest request, Verdict verdict) {
        if (mayHold(verdict)) {
            lease(request, null, verdict, token -> writer.sendHead(request.response(), verdict));
        } else {
            writer.sendHead(request.response(), verdict);
        }
    }

    /** Answers a list of checks with 200 and the verdict on each. */
    void list(HttpServerRequest request, List<CheckRequest> checks) {
        long began = System.nanoTime();
        List<CompletableFuture<Verdict>> futures = new ArrayList<>(checks.size());
        for (CheckRequest check : checks) {
            futures.add(check(check.request()));
        }
        await(request, futures, () -> {
            List<Verdict> verdicts =
                    futures.stream().map(CompletableFuture::join).toList();
            listener.decided(request, began, verdicts);
            List<CompletableFuture<Optional<String>>> leases = new ArrayList<>(verdicts.size());
            for (int i = 0; i < verdicts.size(); i++) {
                leases.add(engine.leases().grant(verdicts.get(i), checks.get(i).lease()));
            }
            whenLeased(request, verdicts, leases, tokens -> writer.sendList(request.response(), verdicts, tokens));
        });
    }

    // ---- Deciding

    private CompletableFuture<Verdict> check(Request request) {
        if (recorder != null) {
            recorder.record(request);
        }
        return engine.check(request);
    }

    /** Continues when the verdict is there, which in memory it is at once. */
    private void decide(HttpServerRequest request, Request check, Consumer<Verdict> next) {
        long began = System.nanoTime();
        CompletableFuture<Verdict> future = check(check);
        if (future.isDone() && !future.isCompletedExceptionally()) {
            Verdict verdict = future.join();
            listener.decided(request, began, verdict);
            next.accept(verdict);
            return;
        }
        await(request, List.of(future), () -> {
            Verdict verdict = future.join();
            listener.decided(request, began, verdict);
            next.accept(verdict);
        });
    }

    /** Continues on this event loop when all verdicts are there, unless the client has gone. */
    private void await(HttpServerRequest request, List<CompletableFuture<Verdict>> futures, Runnable next) {
        request.response().closeHandler(gone -> futures.forEach(each -> each.cancel(false)));
        Context context = vertx.getOrCreateContext();
        CompletableFuture<?> all = futures.size() == 1
                ? futures.get(0)
                : CompletableFuture.allOf(futures.toArray(CompletableFuture<?>[]::new));
        all.whenComplete((done, failure) -> context.runOnContext(turn -> {
            boolean gone = request.response().closed();
            if (failure == null && !gone) {
                next.run();
                return;
            }
            refund(futures);
            if (!gone) {
                fail(request, failure);
            }
        }));
    }

    private void refund(List<CompletableFuture<Verdict>> futures) {
        for (CompletableFuture<Verdict> each : futures) {
            if (!each.isCompletedExceptionally()) {
                engine.refund(each.join());
            }
        }
    }

    private static void fail(HttpServerRequest request, @Nullable Throwable failure) {
        LOG.log(System.Logger.Level.ERROR, "a check failed", failure);
        HttpProblem.of(500, "the check failed; the log of the server says why").send(request);
    }

    // ---- Holds

    /** Whether a rule of the verdict has a concurrency limit. */
    private boolean mayHold(Verdict verdict) {
        List<RuleDecision> ruleDecisions = verdict.decisions();
        for (int i = 0; i < ruleDecisions.size(); i++) {
            if (policies.of(ruleDecisions.get(i)).holds()) {
                return true;
            }
        }
        return false;
    }

    /** Puts the holds of a verdict under their leases, and then sends the response, with the token of the holds. */
    private void lease(
            HttpServerRequest request,
            @Nullable Duration lease,
            Verdict verdict,
            Function<@Nullable String, Future<Void>> send) {
        whenLeased(
                request,
                List.of(verdict),
                List.of(engine.leases().grant(verdict, lease)),
                tokens -> send.apply(tokens.get(0).isEmpty() ? null : tokens.get(0)));
    }

    private void whenLeased(
            HttpServerRequest request,
            List<Verdict> verdicts,
            List<CompletableFuture<Optional<String>>> leases,
            Function<List<String>, Future<Void>> send) {
        CompletableFuture<Void> all = CompletableFuture.allOf(leases.toArray(CompletableFuture<?>[]::new));
        if (all.isDone()) {
            leased(request, verdicts, leases, send);
        } else {
            Context context = vertx.getOrCreateContext();
            all.whenComplete((done, failure) -> context.runOnContext(turn -> leased(request, verdicts, leases, send)));
        }
    }

    /** Sends the response, and gives everything back if that cannot be done. */
    private void leased(
            HttpServerRequest request,
            List<Verdict> verdicts,
            List<CompletableFuture<Optional<String>>> leases,
            Function<List<String>, Future<Void>> send) {
        List<Optional<String>> tokens = leases.stream()
                .map(each -> each.isCompletedExceptionally() ? Optional.<String>empty() : each.join())
                .toList();
        HttpServerResponse response = request.response();
        boolean complete = tokens.stream().allMatch(Optional::isPresent);
        if (response.closed() || !complete) {
            giveBack(verdicts, tokens);
            if (!complete) {
                response.putHeader(RateLimitHeaders.RETRY_AFTER, "1");
                HttpProblem.of(503, "there are too many holds; release some with DELETE /v1/holds/{id}")
                        .send(request);
            }
            return;
        }
        send.apply(tokens.stream().map(Optional::get).toList()).onFailure(gone -> giveBack(verdicts, tokens));
    }

    /** Releases what has a token and refunds the rest; a verdict without a place for one has been given back already. */
    private void giveBack(List<Verdict> verdicts, List<Optional<String>> tokens) {
        for (int i = 0; i < verdicts.size(); i++) {
            if (tokens.get(i).isPresent()) {
                String token = tokens.get(i).get();
                if (token.isEmpty()) {
                    engine.refund(verdicts.get(i));
                } else {
                    engine.leases().release(token);
                }
            }
        }
    }
}
