package dev.sluice.server.check;

import dev.sluice.Limit;
import dev.sluice.rules.Request;
import dev.sluice.rules.RuleDecision;
import dev.sluice.rules.Verdict;
import dev.sluice.rules.engine.RuleEngine;
import dev.sluice.server.record.Recorder;
import dev.sluice.server.web.Exchange;
import dev.sluice.server.web.HttpProblem;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.internal.ContextInternal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
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
    private final VerdictWriter writer;

    CheckService(
            Vertx vertx, RuleEngine engine, CheckListener listener, @Nullable Recorder recorder, HeaderFields fields) {
        this.vertx = vertx;
        this.engine = engine;
        this.listener = listener;
        this.recorder = recorder;
        this.writer = new VerdictWriter(fields);
    }

    /** Answers one check with 200 or 429; {@code lease} is the one that the client asks for. */
    void one(Exchange exchange, Request check, @Nullable Duration lease) {
        decide(exchange, check, verdict -> {
            if (mayHold(verdict)) {
                lease(exchange, lease, verdict, token -> writer.send(exchange, verdict, token));
            } else {
                writer.send(exchange, verdict, null);
            }
        });
    }

    /** Answers nginx with 204 or 403. Since nginx cannot release a hold, its lease ends it. */
    void nginx(Exchange exchange, Request check) {
        decide(exchange, check, verdict -> {
            long delayMicros = verdict.delayMicros();
            if (delayMicros == 0) {
                sendHead(exchange, verdict);
                return;
            }
            long millis = TimeUnit.MICROSECONDS.toMillis(delayMicros) + 1;
            long timer = vertx.setTimer(millis, due -> {
                if (!exchange.isGone()) { // else it hears of that soon
                    exchange.whenGone(null);
                    goOn(exchange, () -> sendHead(exchange, verdict));
                }
            });
            exchange.whenGone(() -> {
                vertx.cancelTimer(timer);
                engine.refund(verdict);
            });
        });
    }

    private void sendHead(Exchange exchange, Verdict verdict) {
        if (mayHold(verdict)) {
            lease(exchange, null, verdict, token -> writer.sendHead(exchange, verdict));
        } else {
            writer.sendHead(exchange, verdict);
        }
    }

    /** Answers a list of checks with 200 and the verdict on each. */
    void list(Exchange exchange, List<CheckRequest> checks) {
        long began = System.nanoTime();
        List<CompletableFuture<Verdict>> futures = new ArrayList<>(checks.size());
        for (CheckRequest check : checks) {
            futures.add(check(check.request()));
        }
        await(exchange, futures, () -> {
            List<Verdict> verdicts =
                    futures.stream().map(CompletableFuture::join).toList();
            listener.decided(exchange, began, verdicts);
            List<CompletableFuture<Optional<String>>> leases = new ArrayList<>(verdicts.size());
            for (int i = 0; i < verdicts.size(); i++) {
                leases.add(engine.leases().grant(verdicts.get(i), checks.get(i).lease()));
            }
            whenLeased(exchange, verdicts, leases, tokens -> writer.sendList(exchange, verdicts, tokens));
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
    private void decide(Exchange exchange, Request check, Consumer<Verdict> next) {
        long began = System.nanoTime();
        CompletableFuture<Verdict> future = check(check);
        if (future.isDone() && !future.isCompletedExceptionally()) {
            decided(exchange, began, future, next);
        } else {
            await(exchange, List.of(future), () -> decided(exchange, began, future, next));
        }
    }

    private void decided(Exchange exchange, long began, CompletableFuture<Verdict> future, Consumer<Verdict> next) {
        Verdict verdict = future.join();
        listener.decided(exchange, began, verdict);
        next.accept(verdict);
    }

    /** Continues on this event loop when all verdicts are there, unless the client has gone. */
    private void await(Exchange exchange, List<CompletableFuture<Verdict>> futures, Runnable next) {
        exchange.whenGone(() -> futures.forEach(each -> each.cancel(false)));
        ContextInternal context = (ContextInternal) vertx.getOrCreateContext();
        CompletableFuture<?> all = futures.size() == 1
                ? futures.get(0)
                : CompletableFuture.allOf(futures.toArray(CompletableFuture<?>[]::new));
        all.whenComplete((done, failure) -> context.emit(turn -> {
            if (failure == null && !exchange.isGone()) {
                exchange.whenGone(null);
                goOn(exchange, next);
                return;
            }
            refund(futures);
            if (!exchange.isGone()) {
                exchange.whenGone(null);
                fail(exchange, failure);
            }
        }));
    }

    /** Responds also if that fails: whoever called this event loop back does not. */
    private static void goOn(Exchange exchange, Runnable next) {
        try {
            next.run();
        } catch (RuntimeException e) {
            fail(exchange, e);
        }
    }

    private void refund(List<CompletableFuture<Verdict>> futures) {
        for (CompletableFuture<Verdict> each : futures) {
            if (!each.isCompletedExceptionally()) {
                engine.refund(each.join());
            }
        }
    }

    private static void fail(Exchange exchange, @Nullable Throwable failure) {
        LOG.log(System.Logger.Level.ERROR, "a check failed", failure);
        HttpProblem.of(500, "the check failed; the log of the server says why").send(exchange);
    }

    // ---- Holds

    /** Whether a rule of the verdict has a concurrency limit. */
    private static boolean mayHold(Verdict verdict) {
        List<RuleDecision> ruleDecisions = verdict.decisions();
        for (int i = 0; i < ruleDecisions.size(); i++) {
            if (ruleDecisions.get(i).limiter().limits().stream().anyMatch(Limit::holds)) {
                return true;
            }
        }
        return false;
    }

    /** Puts the holds of a verdict under their leases, and then sends the response, with the token of the holds. */
    private void lease(Exchange exchange, @Nullable Duration lease, Verdict verdict, Consumer<@Nullable String> send) {
        whenLeased(
                exchange,
                List.of(verdict),
                List.of(engine.leases().grant(verdict, lease)),
                tokens -> send.accept(tokens.get(0).isEmpty() ? null : tokens.get(0)));
    }

    private void whenLeased(
            Exchange exchange,
            List<Verdict> verdicts,
            List<CompletableFuture<Optional<String>>> leases,
            Consumer<List<String>> send) {
        CompletableFuture<Void> all = CompletableFuture.allOf(leases.toArray(CompletableFuture<?>[]::new));
        if (all.isDone()) {
            leased(exchange, verdicts, leases, send);
        } else {
            Context context = vertx.getOrCreateContext();
            all.whenComplete((done, failure) ->
                    context.runOnContext(turn -> goOn(exchange, () -> leased(exchange, verdicts, leases, send))));
        }
    }

    /** Sends the response, and gives everything back if that cannot be done. */
    private void leased(
            Exchange exchange,
            List<Verdict> verdicts,
            List<CompletableFuture<Optional<String>>> leases,
            Consumer<List<String>> send) {
        List<Optional<String>> tokens = leases.stream()
                .map(each -> each.isCompletedExceptionally() ? Optional.<String>empty() : each.join())
                .toList();
        boolean complete = tokens.stream().allMatch(Optional::isPresent);
        if (exchange.isGone()) {
            giveBack(verdicts, tokens);
        } else if (complete) {
            exchange.whenGone(() -> giveBack(verdicts, tokens));
            send.accept(tokens.stream().map(Optional::get).toList());
        } else {
            giveBack(verdicts, tokens);
            HttpProblem.of(503, "there are too many holds; release some with DELETE /v1/holds/{id}")
                    .field(VerdictWriter.RETRY_AFTER, "1")
                    .send(exchange);
        }
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
