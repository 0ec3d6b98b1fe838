package dev.sluice.rules.engine;

import static dev.sluice.rules.engine.Stage.request;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Decision;
import dev.sluice.OnFailure;
import dev.sluice.Outcome;
import dev.sluice.redis.RedisStore;
import dev.sluice.redis.servers.RedisServer;
import dev.sluice.rules.QuotaExceeded;
import dev.sluice.rules.RuleDecision;
import dev.sluice.rules.RuleSet;
import dev.sluice.rules.Verdict;
import dev.sluice.rules.file.RuleFile;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Two engines with the same rules on one real Redis. */
class SharedRulesTest {
    private static final RedisServer SERVER = RedisServer.start();

    private final RedisStore here = patient();
    private final RedisStore there = patient();

    /** Redis decides, however busy the machine is: without a reply in time, each engine would count by itself. */
    private static RedisStore patient() {
        return RedisStore.builder()
                .url(SERVER.url())
                .timeout(Duration.ofSeconds(10))
                .build();
    }

    @BeforeAll
    static void ready() {
        SERVER.command("PING");
    }

    @AfterAll
    static void stop() {
        SERVER.close();
    }

    @BeforeEach
    void empty() {
        SERVER.command("FLUSHALL");
    }

    @AfterEach
    void close() {
        here.close();
        there.close();
    }

    private static int allowed(RuleEngine engine, int tries, String attributes) {
        int allowed = 0;
        for (int i = 0; i < tries; i++) {
            allowed += engine.check(request(attributes)).join().allowed() ? 1 : 0;
        }
        return allowed;
    }

    @Test
    void shareEveryCount() {
        RuleSet rules = RuleFile.parse("rules.yaml", """
                rules:
                  - { name: wide, limits: [10 per 1h], priority: { low: 50% } }
                  - { name: narrow, key: [user], limits: [3 per 1h], overrides: [{ user: vip, limits: [9 per 1h] }] }
                  - { name: watch, limits: [2 per 1h], on-exceed: shadow }
                """);
        RuleEngine one = new RuleEngine(here, rules);
        RuleEngine two = new RuleEngine(there, rules);
        assertThat(allowed(one, 2, "user=a|b")).isEqualTo(2);
        assertThat(allowed(two, 5, "user=a|b")).isEqualTo(1);
        assertThat(allowed(one, 5, "user=c priority=low")).isEqualTo(2);
        assertThat(allowed(two, 9, "user=vip")).isEqualTo(5);
        Verdict verdict = two.check(request("user=vip")).join();
        assertThat(Objects.requireNonNull(verdict.decisive()).rule().name()).isEqualTo("wide");
        assertThat(verdict.decisions().get(2).decision().outcome()).isEqualTo(Outcome.SHADOWED);
    }

    @Test
    void shedTogetherButNeverAFirstRequest() {
        RuleSet rules = RuleFile.parse("rules.yaml", """
                rules:
                  - { name: small, key: [user], limits: [5 per 1h, 1000 per 1d], shed-from: 10% }
                  - { name: large, limits: [100000 per 1h], shed-from: 90% }
                """);
        RuleEngine one = new RuleEngine(here, rules);
        RuleEngine two = new RuleEngine(there, rules);
        int shed = 0;
        for (int user = 0; user < 400; user++) {
            Verdict first = one.check(request("user=" + user)).join();
            assertThat(first.allowed()).isTrue();
            assertThat(first.decisions().get(0).decision().remaining()).isEqualTo(4);
            Verdict second = two.check(request("user=" + user)).join();
            if (!second.allowed()) {
                RuleDecision decisive = Objects.requireNonNull(second.decisive());
                assertThat(decisive.rule().name()).isEqualTo("small");
                assertThat(decisive.decision().outcome()).isEqualTo(Outcome.SHED);
                assertThat(decisive.decision().remaining()).isEqualTo(4);
                assertThat(decisive.decision().perLimit().get(0).remaining()).isEqualTo(4);
                assertThat(QuotaExceeded.violated(second)).contains("small");
                shed++;
            }
        }
        assertThat(shed / 400.0).as("1 of 5 in use, shed from 0").isBetween(0.1, 0.3);
    }

    @Test
    void shedNobodyWithoutTheStore() {
        try (RedisServer server = RedisServer.start();
                RedisStore store = RedisStore.builder()
                        .url(server.url())
                        .onFailure(OnFailure.ALLOW)
                        .build()) {
            RuleEngine engine = new RuleEngine(store, RuleFile.parse("rules.yaml", """
                    rules:
                      - name: a
                        limits: [10 per 1h, 1000 per 1d]
                        shed-from: 10%
                        on-store-failure: allow
                    """));
            allowed(engine, 30, "");
            server.kill();
            for (int i = 0; i < 300; i++) {
                Verdict verdict = engine.check(request("")).join();
                Decision decision = verdict.decisions().get(0).decision();
                assertThat(decision.remaining()).isLessThanOrEqualTo(decision.limit());
            }
        }
    }

    @Test
    void askRedisOnceForADenial() {
        RuleEngine engine =
                new RuleEngine(here, RuleFile.parse("x", "rules: [{ name: a, limits: [10 per 1h], shed-from: 50% }]"));
        while (engine.check(request("")).join().decisions().get(0).decision().remaining() > 0) {
            // uses the limit up, however many are shed on the way
        }
        engine.check(request("")).join();
        long before = here.counters().asked();
        assertThat(allowed(engine, 100, "")).isZero();
        assertThat(here.counters().asked() - before)
                .as("one call for the share that is drawn; the rest is known for up to a second")
                .isLessThan(150);
    }

    @Test
    void shareWhatIsHeldAndGiveItBack() {
        RuleSet rules = RuleFile.parse("rules.yaml", """
                rules:
                  - { name: held, limits: [1 at once] }
                  - { name: daily, limits: [5 per 1d] }
                """);
        RuleEngine one = new RuleEngine(here, rules);
        RuleEngine two = new RuleEngine(there, rules);
        Verdict held = one.check(request("")).join();
        assertThat(two.check(request("")).join().allowed()).isFalse();
        one.release(held).join();
        Verdict next = two.check(request("")).join();
        assertThat(next.allowed()).isTrue();
        two.refund(next).join();
        assertThat(Objects.requireNonNull(one.inspect("daily", "").join())
                        .decision()
                        .remaining())
                .isEqualTo(4);
    }

    @Test
    void carryCountsAcrossAReload() {
        RuleEngine one = new RuleEngine(here, RuleFile.parse("x", "rules: [{ name: a, limits: [3 per 1h] }]"));
        assertThat(allowed(one, 9, "")).isEqualTo(3);
        one.apply(RuleFile.parse("x", "rules: [{ name: a, limits: [5 per 1h] }]"));
        assertThat(allowed(one, 9, "")).isEqualTo(2);
        one.apply(RuleFile.parse("x", "rules: [{ name: a, limits: [5 per 1h], on-store-failure: deny }]"));
        assertThat(allowed(one, 9, "")).isZero();
        one.apply(RuleFile.parse("x", "rules: [{ name: a, limits: [6 per 1h sliding-log] }]"));
        assertThat(allowed(one, 9, ""))
                .as("another algorithm begins fresh on Redis")
                .isEqualTo(6);
    }
}
