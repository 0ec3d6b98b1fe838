package dev.sluice.server.admin;

import dev.sluice.Durations;
import dev.sluice.rules.RuleSet;
import dev.sluice.rules.engine.RuleEngine;
import dev.sluice.rules.file.RuleFile;
import dev.sluice.server.record.Recorder;
import dev.sluice.server.ruleset.ActiveRules;
import dev.sluice.server.ruleset.CheckedText;
import dev.sluice.server.trial.RuleTrial;
import dev.sluice.server.trial.TrialException;
import dev.sluice.server.trial.TrialJson;
import dev.sluice.server.web.HttpProblem;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * {@code POST /v1/rules/check} says what is wrong with rules, and {@code POST /v1/rules/try?last=15m} what they would have
 * done to the requests that were recorded. Neither changes anything. Both work on worker threads, and one trial at a time.
 */
final class TrialHandler {
    private static final Duration DEFAULT_LAST = Duration.ofMinutes(15);
    private static final Duration MAX_TIME = Duration.ofSeconds(20);

    private final Vertx vertx;
    private final RuleEngine engine;
    private final ActiveRules active;
    private final @Nullable RuleTrial trial;
    private final AtomicBoolean running = new AtomicBoolean();

    TrialHandler(Vertx vertx, RuleEngine engine, ActiveRules active, @Nullable Recorder recorder) {
        this.vertx = vertx;
        this.engine = engine;
        this.active = active;
        this.trial = recorder == null ? null : new RuleTrial(recorder, MAX_TIME, System::nanoTime);
    }

    void check(AdminRequest request) {
        if (!request.isMethod("POST")) {
            request.wrongMethod("POST");
            return;
        }
        request.body(AdminRequest.YAML, RuleFile.MAX_BYTES, body -> {
            String text = RulesHandler.text(body);
            request.when(
                    vertx.executeBlocking(() -> active.check(text), false),
                    checked -> request.json(200, checked.json()));
        });
    }

    void run(AdminRequest request) {
        if (!request.isMethod("POST")) {
            request.wrongMethod("POST");
            return;
        }
        RuleTrial on = trial;
        if (on == null) {
            throw HttpProblem.of(
                    404,
                    "not-recording",
                    "rules are tried on recorded requests, and this server records none; start it with --record 64MB");
        }
        Duration last = last(request.parameter("last"));
        request.body(AdminRequest.YAML, RuleFile.MAX_BYTES, body -> {
            String text = RulesHandler.text(body);
            if (!running.compareAndSet(false, true)) {
                throw HttpProblem.of(
                        503, "trial-under-way", "other rules are being tried, and that is done one at a time");
            }
            AtomicBoolean gone = new AtomicBoolean();
            request.http.response().closeHandler(closed -> gone.set(true));
            request.when(
                    vertx.executeBlocking(() -> run(on, last, text, gone::get), false),
                    json -> request.json(200, json));
        });
    }

    /** Tries the rules, and ends early if nobody waits for the result any more. */
    private JsonObject run(RuleTrial on, Duration last, String text, BooleanSupplier gone) {
        try {
            CheckedText checked = active.check(text);
            RuleSet rules = checked.rules()
                    .orElseThrow(() -> HttpProblem.of(400, "bad-rules", "rules that are wrong cannot be tried")
                            .with("problems", checked.json().getJsonArray("problems")));
            return TrialJson.of(on.run(last, engine.rules(), rules, gone));
        } catch (TrialException e) {
            throw HttpProblem.of(503, "not-tried", String.valueOf(e.getMessage()));
        } finally {
            running.set(false);
        }
    }

    private static Duration last(@Nullable String text) {
        if (text == null) {
            return DEFAULT_LAST;
        }
        Duration last = Durations.parse(text);
        if (last == null || last.isZero()) {
            throw AdminRequest.badRequest("last must be " + Durations.EXPECTED + ", was " + HttpProblem.quoted(text));
        }
        return last;
    }
}
