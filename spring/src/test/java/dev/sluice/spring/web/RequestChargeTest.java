package dev.sluice.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Decision;
import dev.sluice.redis.RedisStore;
import dev.sluice.redis.servers.Eventually;
import dev.sluice.redis.servers.RedisServer;
import dev.sluice.rules.Request;
import dev.sluice.rules.RuleDecision;
import dev.sluice.rules.Verdict;
import dev.sluice.rules.engine.RuleEngine;
import dev.sluice.rules.file.RuleFile;
import dev.sluice.spring.LimitedCallListener.Ending;
import dev.sluice.spring.RuleRegistry;
import dev.sluice.spring.WebRules;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What becomes of a request's charge while Redis takes its time. */
class RequestChargeTest {
    private static final Duration SOON = Duration.ofSeconds(30);
    private static final Request REQUEST = Request.of(Map.of("ip", "203.0.113.1"), 1);

    private static RuleRegistry registry(RedisStore store) {
        return new RuleRegistry(store, RuleFile.parse("rules.yaml", """
                        rules:
                          - { name: wrong, key: [ip], when: { status: 401 }, limits: [3 per 10m sliding-log] }
                          - { name: held, key: [ip], limits: [1 at once] }
                        """));
    }

    private static RequestCharge begun(RuleRegistry registry) {
        Verdict verdict = registry.engine()
                .begin(REQUEST, everyRule -> true)
                .orTimeout(1, TimeUnit.MINUTES)
                .join();
        return new RequestCharge(registry.engine(), registry.web(), REQUEST, verdict, Ending.NONE);
    }

    private static Decision state(RuleEngine engine, String rule) {
        RuleDecision now =
                Objects.requireNonNull(engine.inspect(rule, "203.0.113.1").join());
        return now.decision();
    }

    private static long remaining(RuleEngine engine, String rule) {
        return state(engine, rule).remaining();
    }

    /** The response waits for the charge, and its client is gone: nobody waits for it any more. */
    @Test
    void whoGivesUpWaitingForTheChargeLeavesNothingHeld() {
        try (RedisServer redis = RedisServer.start();
                RedisStore store = RedisStore.builder()
                        .url(redis.url())
                        .timeout(Duration.ofSeconds(20))
                        .build()) {
            RuleRegistry registry = registry(store);
            Eventually.holds(
                    "Redis answers",
                    SOON,
                    () -> state(registry.engine(), "held").source() == Decision.Source.REDIS);
            RequestCharge charge = begun(registry);
            assertThat(remaining(registry.engine(), "held")).isZero();
            redis.pause();
            CompletableFuture<Void> settling = charge.settle(401);
            assertThat(settling).isNotDone();
            settling.cancel(true);
            CompletableFuture<Void> completing = charge.complete(WebRules.NO_STATUS);
            completing.cancel(true);
            redis.resume();
            Eventually.holds("it is free", SOON, () -> remaining(registry.engine(), "held") == 1);
            assertThat(remaining(registry.engine(), "wrong")).isEqualTo(2);
        }
    }
}
