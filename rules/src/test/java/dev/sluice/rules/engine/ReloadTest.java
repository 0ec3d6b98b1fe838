package dev.sluice.rules.engine;

import static dev.sluice.rules.engine.Stage.request;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Limit;
import dev.sluice.rules.RateLimitHeaders;
import dev.sluice.rules.Rule;
import dev.sluice.rules.Verdict;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Other rules are put in force while requests come in. */
class ReloadTest {
    private static final String FIVE = "rules: [{ name: a, key: [user], limits: [5 per 1m sliding-log] }]";

    @Test
    void countsGoOnWhereTheNameStays() {
        Stage stage = new Stage(FIVE);
        assertThat(stage.allowed(3, "user=x")).isEqualTo(3);
        stage.apply(FIVE);
        assertThat(stage.allowed(9, "user=x")).isEqualTo(2);
    }

    @Test
    void whatWasUsedStaysUsedUnderOtherLimits() {
        Stage stage = new Stage(FIVE);
        stage.allowed(5, "user=x");
        stage.apply("rules: [{ name: a, key: [user], limits: [7 per 1m sliding-log] }]");
        assertThat(stage.allowed(9, "user=x")).isEqualTo(2);
        stage.apply("rules: [{ name: a, key: [user], limits: [3 per 1m sliding-log] }]");
        assertThat(stage.allowed(9, "user=x")).isZero();
        stage.apply("rules: [{ name: a, key: [user], limits: [8 per 1m fixed-window] }]");
        assertThat(stage.allowed(9, "user=x")).isEqualTo(1);
    }

    @Test
    void aPolicyShowsTheLimitsThatDecided() {
        String rules =
                "rules: [{ name: a, key: [user], limits: [%s], overrides: [{ user: vip, limits: [9 per 1s] }] }]";
        Stage stage = new Stage(rules.formatted("5 per 1m"));
        assertThat(policy(stage, "user=x")).isEqualTo("\"a\";q=5;w=60");
        assertThat(policy(stage, "user=vip")).isEqualTo("\"a\";q=9;w=1");
        stage.apply(rules.formatted("7 per 1h"));
        assertThat(policy(stage, "user=x")).isEqualTo("\"a\";q=7;w=3600");
        Objects.requireNonNull(stage.engine.limiter("a")).change(Limit.tokenBucket(6, Duration.ofMinutes(2)));
        assertThat(policy(stage, "user=x")).isEqualTo("\"a\";q=6;w=120");
        stage.engine.override(
                "a", "x", List.of(Limit.concurrency(3)), stage.now().plusSeconds(60));
        assertThat(policy(stage, "user=x")).isEqualTo("\"a\";q=3;qu=\"concurrent-requests\"");
        stage.engine.block("a", "x", stage.now().plusSeconds(60));
        assertThat(policy(stage, "user=x")).isEqualTo("\"a\";q=1;w=1");
        stage.apply("""
                rules:
                  - { name: a, limits: [5 per 1m] }
                  - { name: b, limits: [3 per 1s], on-exceed: shadow }
                  - { name: c, limits: [2 per 1s, 1 at once] }
                """);
        assertThat(policy(stage, "user=y"))
                .isEqualTo("\"a\";q=5;w=60, \"c\";q=2;w=1, \"c:2\";q=1;qu=\"concurrent-requests\"");
    }

    private static @Nullable String policy(Stage stage, String attributes) {
        return RateLimitHeaders.policy(stage.check(attributes));
    }

    @Test
    void aRuleThatIsGoneDeniesNoMore() {
        Stage stage = new Stage(FIVE);
        stage.allowed(5, "user=x");
        stage.engine.block("a", "y", stage.now().plusSeconds(60));
        stage.apply("rules: [{ name: b, limits: [100 per 1m] }]");
        assertThat(stage.check("user=x").allowed()).isTrue();
        assertThat(stage.engine.limiter("a")).isNull();
        assertThat(stage.engine.keyOverrides()).isEmpty();
        assertThat(stage.engine.rules().rules()).extracting(Rule::name).containsExactly("b");
    }

    @Test
    void countsOfOverridesStayTheirsWhenOthersComeBeforeThem() {
        Stage stage = new Stage("""
                rules:
                  - { name: a, key: [user], limits: [1 per 1m], overrides: [{ user: vip, limits: [3 per 1m] }] }
                """);
        stage.allowed(2, "user=vip");
        stage.apply("""
                rules:
                  - name: a
                    key: [user]
                    limits: [1 per 1m]
                    overrides: [{ user: "b*", limits: [2 per 1m] }, { user: vip, limits: [3 per 1m] }]
                """);
        assertThat(stage.allowed(9, "user=vip")).isEqualTo(1);
    }

    @Test
    void whatIsHeldIsReleasedAcrossAReload() {
        Stage stage = new Stage("rules: [{ name: a, limits: [1 at once] }]");
        Verdict held = stage.check("");
        stage.apply("rules: [{ name: a, limits: [1 at once] }, { name: b, limits: [9 per 1m] }]");
        assertThat(stage.check("").allowed()).isFalse();
        stage.engine.release(held).join();
        assertThat(stage.check("").allowed()).isTrue();
    }

    @Test
    void blocksStayWithTheirRule() {
        Stage stage = new Stage(FIVE);
        stage.engine.block("a", "x", stage.now().plusSeconds(60));
        stage.apply(FIVE);
        assertThat(stage.check("user=x").allowed()).isFalse();
        stage.pass(Duration.ofSeconds(61));
        assertThat(stage.check("user=x").allowed()).isTrue();
    }

    @Test
    void noRequestSlipsThroughBetweenTwoSets() throws InterruptedException, ExecutionException {
        Stage stage = new Stage("rules: [{ name: a, limits: [1000 per 1h] }]");
        String other =
                "rules: [{ name: z, when: { path: /z }, limits: [1 per 1h] }, { name: a, limits: [1000 per 1h] }]";
        AtomicInteger allowed = new AtomicInteger();
        ExecutorService threads = Executors.newFixedThreadPool(3);
        try {
            Future<?>[] work = new Future<?>[3];
            for (int i = 0; i < work.length; i++) {
                work[i] = threads.submit(() -> {
                    for (int n = 0; n < 2_000; n++) {
                        allowed.addAndGet(
                                stage.engine.check(request("path=/a")).join().allowed() ? 1 : 0);
                    }
                });
            }
            for (int i = 0; i < 100; i++) {
                stage.apply(i % 2 == 0 ? other : "rules: [{ name: a, limits: [1000 per 1h] }]");
            }
            for (Future<?> each : work) {
                each.get();
            }
        } finally {
            threads.shutdown();
        }
        assertThat(allowed).hasValue(1000);
    }
}
