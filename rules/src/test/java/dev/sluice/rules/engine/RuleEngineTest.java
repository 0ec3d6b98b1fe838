package dev.sluice.rules.engine;

import static dev.sluice.rules.engine.Stage.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.Outcome;
import dev.sluice.rules.RuleCheck;
import dev.sluice.rules.RuleDecision;
import dev.sluice.rules.Verdict;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class RuleEngineTest {
    private static final Duration MINUTE = Duration.ofMinutes(1);

    @Test
    void severalRulesAreChargedAllOrNone() {
        Stage stage = new Stage("""
                rules:
                  - { name: wide, limits: [5 per 1m sliding-log] }
                  - { name: narrow, key: [user], limits: [2 per 1m sliding-log] }
                """);
        assertThat(stage.allowed(10, "user=a")).isEqualTo(2);
        Verdict denied = stage.check("user=a");
        assertThat(denied.allowed()).isFalse();
        assertThat(denied.decisions())
                .extracting(ruleDecision -> ruleDecision.rule().name())
                .containsExactly("wide", "narrow");
        assertThat(decisive(denied).rule().name()).isEqualTo("narrow");
        assertThat(decisive(denied).decision().retryAfter()).isEqualTo(MINUTE);
        assertThat(stage.allowed(10, "user=b")).isEqualTo(2);
        assertThat(stage.allowed(10, "user=c")).isEqualTo(1);
        assertThat(decisive(stage.check("user=c")).rule().name()).isEqualTo("wide");
        stage.pass(MINUTE);
        assertThat(stage.allowed(10, "user=d")).isEqualTo(2);
    }

    @Test
    void rulesCanBeAskedByNameWhateverTheirConditions() {
        Stage stage = new Stage("""
                rules:
                  - { name: a, when: { path: /a }, key: [user], limits: [2 per 1m sliding-log] }
                  - { name: b, when: { path: /b }, limits: [3 per 1m sliding-log] }
                """);
        List<RuleCheck> asks = List.of(new RuleCheck("a", request("user=x")), new RuleCheck("b", request("")));
        assertThat(stage.engine.check(asks).join().allowed()).isTrue();
        assertThat(stage.engine.check(asks).join().allowed()).isTrue();
        assertThat(decisive(stage.engine.check(asks).join()).rule().name()).isEqualTo("a");
        assertThat(stage.engine.check(List.of(asks.get(1))).join().allowed()).isTrue();
        assertThat(stage.engine.check(List.of(asks.get(1))).join().allowed()).isFalse();
        assertThat(stage.engine.check(List.of()).join()).isEqualTo(Verdict.FREE);
        assertThatThrownBy(() -> stage.engine.check(List.of(new RuleCheck("c", request("")))))
                .hasMessage("there is no rule named 'c'");
    }

    @Test
    void someOfTheRulesCanBeAsked() {
        Stage stage = new Stage("""
                rules:
                  - { name: a, limits: [1 per 1m sliding-log] }
                  - { name: b, limits: [2 per 1m sliding-log] }
                """);
        for (int i = 0; i < 2; i++) {
            Verdict verdict = stage.engine
                    .check(request(""), rule -> rule.name().equals("b"))
                    .join();
            assertThat(verdict.decisions()).hasSize(1);
            assertThat(verdict.allowed()).isTrue();
        }
        assertThat(decisive(stage.check("")).rule().name()).isEqualTo("b");
    }

    @Test
    void whenAllowedTheOneWithLeastLeftIsDecisive() {
        Stage stage = new Stage("""
                rules:
                  - { name: wide, limits: [100 per 1m] }
                  - { name: narrow, limits: [3 per 1m] }
                """);
        assertThat(decisive(stage.check("")).rule().name()).isEqualTo("narrow");
    }

    @Test
    void whatNoRuleAppliesToIsFree() {
        Stage stage = new Stage("rules: [{ name: a, when: { path: /x }, key: [ip], limits: [1 per 1m] }]");
        assertThat(stage.check("path=/y ip=1.2.3.4")).isEqualTo(Verdict.FREE);
        assertThat(stage.check("path=/x")).isEqualTo(Verdict.FREE);
        assertThat(Verdict.FREE.decisive()).isNull();
    }

    @Test
    void aRuleMaySayThatItAppliesWithoutItsKey() {
        Stage stage = new Stage("rules: [{ name: a, key: [user], missing-key: apply, limits: [1 per 1m] }]");
        assertThat(stage.allowed(3, "ip=1.2.3.4")).isEqualTo(1);
        assertThat(stage.allowed(3, "user=a")).isEqualTo(1);
    }

    @Test
    void aShadowWatchesByItself() {
        Stage stage = new Stage("""
                rules:
                  - { name: live, limits: [4 per 1m] }
                  - { name: test, limits: [2 per 1m], on-exceed: shadow }
                """);
        assertThat(stage.allowed(3, "")).isEqualTo(3);
        Verdict fourth = stage.check("");
        assertThat(fourth.allowed()).isTrue();
        assertThat(fourth.decisions())
                .extracting(ruleDecision -> ruleDecision.decision().outcome())
                .containsExactly(Outcome.ALLOWED, Outcome.SHADOWED);
        assertThat(decisive(fourth).rule().name()).isEqualTo("live");
        assertThat(stage.check("").allowed()).isFalse();
    }

    @Test
    void aShadowCountsWhatOthersDeny() {
        Stage stage = new Stage("""
                rules:
                  - { name: live, limits: [1 per 1m] }
                  - { name: test, limits: [3 per 1m], on-exceed: shadow }
                """);
        List<Outcome> outcomes = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            outcomes.add(stage.check("").decisions().get(1).decision().outcome());
        }
        assertThat(outcomes).containsExactly(Outcome.ALLOWED, Outcome.ALLOWED, Outcome.ALLOWED, Outcome.SHADOWED);
    }

    @Test
    void aRuleThatDegradesLetsThrough() {
        Stage stage = new Stage("""
                rules:
                  - { name: soft, limits: [2 per 1m], on-exceed: degrade }
                  - { name: hard, limits: [3 per 1m] }
                """);
        assertThat(stage.check("").degraded()).isFalse();
        assertThat(stage.check("").degraded()).isFalse();
        Verdict third = stage.check("");
        assertThat(third.allowed()).isTrue();
        assertThat(third.degraded()).isTrue();
        assertThat(decisive(third).rule().name()).isEqualTo("soft");
        Verdict fourth = stage.check("");
        assertThat(fourth.allowed()).isFalse();
        assertThat(fourth.degraded()).isFalse();
        assertThat(fourth.decisions()).hasSize(1);
    }

    @Test
    void whatIsDeniedIsNotChargedToWhatDegrades() {
        Stage stage = new Stage("""
                rules:
                  - { name: soft, limits: [2 per 1m], on-exceed: degrade }
                  - { name: hard, key: [user], limits: [1 per 1m] }
                """);
        assertThat(stage.allowed(5, "user=a")).isEqualTo(1);
        assertThat(stage.check("user=b").degraded()).isFalse();
        assertThat(stage.check("user=c").degraded()).isTrue();
    }

    @Test
    void aCostThatCanNeverBeGranted() {
        Stage stage = new Stage("rules: [{ name: a, limits: [5 per 1m] }]");
        Verdict verdict = stage.check("", 6);
        assertThat(verdict.allowed()).isFalse();
        assertThat(decisive(verdict).decision().never()).isTrue();
        assertThat(stage.check("", 5).allowed()).isTrue();
        assertThat(stage.check("", 0).allowed()).isTrue();
        assertThat(stage.check("", Long.MAX_VALUE).allowed()).isFalse();
    }

    @Test
    void overridesChooseTheLimit() {
        Stage stage = new Stage("""
                rules:
                  - name: a
                    key: [ip, user]
                    limits: [1 per 1m]
                    overrides:
                      - { ip: 10.0.0.0/8, user: root, limits: [4 per 1m] }
                      - { ip: [10.0.0.0/8, "2001:db8::/32"], limits: unlimited }
                      - { user: "vip-*", limits: [3 per 1m] }
                      - { user: boss, limits: [2 per 1m] }
                """);
        assertThat(stage.allowed(5, "ip=1.2.3.4 user=x")).isEqualTo(1);
        assertThat(stage.allowed(5, "ip=1.2.3.4 user=boss")).isEqualTo(2);
        assertThat(stage.allowed(5, "ip=1.2.3.4 user=vip-9")).isEqualTo(3);
        assertThat(stage.allowed(5, "ip=10.2.3.4 user=root")).isEqualTo(4);
        assertThat(stage.allowed(5, "ip=10.2.3.4 user=vip-9")).isEqualTo(5);
        assertThat(stage.allowed(5, "ip=2001:db8:9::1 user=x")).isEqualTo(5);
        assertThat(stage.check("ip=1.2.3.5 user=boss").decisions().get(0).limiterName())
                .isEqualTo("a/user=boss");
    }

    @Test
    void classesMayUseTheirShare() {
        Stage stage = new Stage("""
                rules:
                  - name: a
                    limits: [10 per 1m]
                    priority: { background: 50%, normal: 80% }
                """);
        assertThat(stage.allowed(20, "priority=background")).isEqualTo(5);
        assertThat(stage.allowed(20, "priority=normal")).isEqualTo(3);
        assertThat(stage.check("priority=normal").decisions().get(0).share()).isEqualTo(80);
        assertThat(stage.allowed(1, "priority=unheard-of")).isEqualTo(1);
        assertThat(stage.allowed(20, "")).isEqualTo(1);
    }

    @Test
    void sheddingRisesEvenlyToTheLimit() {
        Stage stage = new Stage("rules: [{ name: a, limits: [1000 per 1m], shed-from: 80% }]");
        int[] used = {790, 850, 900, 950, 999, 1000};
        double[] expected = {0, 0.25, 0.5, 0.75, 0.95, 1};
        for (int i = 0; i < used.length; i++) {
            Objects.requireNonNull(stage.engine.limiter("a")).reset();
            Objects.requireNonNull(stage.engine.limiter("a")).decide(used[i]);
            int denied = 0;
            for (int n = 0; n < 4_000; n++) {
                denied += stage.engine.peek(request("")).join().allowed() ? 0 : 1;
            }
            assertThat(denied / 4_000.0).isBetween(expected[i] - 0.06, expected[i] + 0.06);
        }
    }

    @Test
    void firstRequestsAreNeverShed() {
        Stage stage = new Stage("rules: [{ name: a, key: [user], limits: [5 per 1h], shed-from: 10% }]");
        for (int user = 0; user < 1_000; user++) {
            assertThat(outcome(stage.check("user=" + user))).isEqualTo(Outcome.ALLOWED);
        }
        for (int user = 1_000; user < 1_100; user++) {
            assertThat(outcome(stage.check("user=" + user, 5))).isEqualTo(Outcome.ALLOWED);
            assertThat(outcome(stage.check("user=" + user))).isEqualTo(Outcome.DENIED);
            assertThat(outcome(stage.check("user=" + user, 6))).isEqualTo(Outcome.NEVER);
        }
    }

    @Test
    void aQueueThatIsTooLongIsDeniedAndNotShed() {
        Stage stage = new Stage("""
                rules:
                  - { name: a, limits: [10 per 1s leaky-bucket capacity=20 queue], on-exceed: wait up to 200ms, shed-from: 50% }
                """);
        for (int i = 0; i < 3; i++) {
            stage.engine.check(Stage.request(""));
        }
        for (int i = 0; i < 50; i++) {
            assertThat(outcome(stage.check("")))
                    .as("3 of 20 in use, a delay of 300 ms")
                    .isEqualTo(Outcome.DENIED);
        }
    }

    @Test
    void smallLimitsShedByTheirUse() {
        Stage stage = new Stage("rules: [{ name: a, key: [user], limits: [5 per 1h], shed-from: 10% }]");
        int shed = 0;
        for (int user = 0; user < 4_000; user++) {
            stage.check("user=" + user);
            Outcome second = outcome(stage.check("user=" + user));
            assertThat(second).isIn(Outcome.ALLOWED, Outcome.SHED);
            shed += second == Outcome.SHED ? 1 : 0;
        }
        assertThat(shed / 4_000.0).as("1 of 5 in use, shed from 0").isBetween(0.15, 0.25);
    }

    @Test
    void classesAndSeveralLimitsShedFirstRequestsNeither() {
        Stage stage = new Stage("""
                rules:
                  - { name: a, key: [user], limits: [5 per 1h, 1000 per 1d], shed-from: 10%, priority: { low: 40% } }
                  - { name: b, key: [user], limits: [7 per 1h], shed-from: 50% }
                """);
        for (int user = 0; user < 500; user++) {
            Verdict first = stage.check("priority=low user=" + user);
            assertThat(outcome(first)).isEqualTo(Outcome.ALLOWED);
            assertThat(first.decisions().get(0).share()).isEqualTo(40);
            assertThat(first.decisions().get(0).decision().remaining()).isEqualTo(1);
            Outcome third = outcome(stage.check("priority=low user=" + user, 2));
            assertThat(third).as("a share of 2, of which 1 is in use").isEqualTo(Outcome.DENIED);
        }
    }

    @Test
    void sheddingTellsWhatIsLeft() {
        Stage stage = new Stage("rules: [{ name: a, key: [user], limits: [1000 per 1m], shed-from: 10% }]");
        for (int user = 0; user < 100; user++) {
            Objects.requireNonNull(stage.engine.limiter("a")).decide("" + user, 500);
            Decision decision = stage.check("user=" + user).decisions().get(0).decision();
            assertThat(decision.remaining()).isEqualTo(decision.allowed() ? 499 : 500);
            assertThat(decision.retryAfterMicros()).isLessThan(Decision.NEVER_MICROS);
        }
    }

    @Test
    void severalLimitsAreShedTogether() {
        Stage stage = new Stage("rules: [{ name: a, key: [user], limits: [5 per 1h, 1000 per 1d], shed-from: 10% }]");
        int shed = 0;
        for (int user = 0; user < 500; user++) {
            stage.check("user=" + user);
            Verdict second = stage.check("user=" + user);
            Decision decision = second.decisions().get(0).decision();
            assertThat(decision.outcome()).isIn(Outcome.ALLOWED, Outcome.SHED);
            long taken = second.allowed() ? 2 : 1;
            assertThat(decision.remaining()).isEqualTo(5 - taken);
            assertThat(decision.perLimit().stream().map(Decision::remaining)).containsExactly(5 - taken, 1000 - taken);
            shed += second.allowed() ? 0 : 1;
        }
        assertThat(shed).isPositive();
    }

    private static Outcome outcome(Verdict verdict) {
        return Objects.requireNonNull(verdict.decisive()).decision().outcome();
    }

    @Test
    void peekingTakesNothing() {
        Stage stage = new Stage("""
                rules:
                  - { name: a, limits: [2 per 1m] }
                  - { name: b, limits: [2 per 1m], on-exceed: shadow }
                """);
        for (int i = 0; i < 5; i++) {
            assertThat(stage.engine.peek(request("")).join().allowed()).isTrue();
        }
        assertThat(stage.allowed(5, "")).isEqualTo(2);
        Verdict peeked = stage.engine.peek(request("")).join();
        assertThat(peeked.allowed()).isFalse();
        assertThat(peeked.decisions().get(1).decision().outcome()).isEqualTo(Outcome.SHADOWED);
    }

    @Test
    void aVerdictIsGivenBack() {
        Stage stage = new Stage("""
                rules:
                  - { name: a, limits: [2 per 1m] }
                  - { name: b, key: [user], limits: [1 per 1m] }
                  - { name: c, limits: [1 at once], on-exceed: shadow }
                """);
        Verdict taken = stage.check("user=x");
        assertThat(stage.check("user=x").allowed()).isFalse();
        stage.engine.refund(taken).join();
        assertThat(stage.check("user=x").allowed()).isTrue();
        stage.engine.refund(stage.check("user=x")).join();
        assertThat(stage.allowed(5, "user=x"))
                .as("a denied verdict gives nothing back")
                .isZero();
        assertThat(stage.check("user=y").allowed()).isTrue();
        assertThat(stage.check("user=z").allowed()).isFalse();
    }

    @Test
    void heldPermitsAreReleased() {
        Stage stage = new Stage("rules: [{ name: a, key: [user], limits: [2 at once, 100 per 1d] }]");
        Verdict first = stage.check("user=x");
        stage.check("user=x");
        Verdict third = stage.check("user=x");
        assertThat(third.allowed()).isFalse();
        stage.engine.release(third).join();
        assertThat(stage.check("user=x").allowed()).isFalse();
        stage.engine.release(first).join();
        assertThat(stage.check("user=x").allowed()).isTrue();
        assertThat(decisive(stage.check("user=y")).decision().perLimit().get(1).remaining())
                .isEqualTo(99);
    }

    @Test
    void aQueueTellsHowLongToWait() {
        Stage stage = new Stage("rules: [{ name: a, limits: [1 per 1s leaky-bucket capacity=5 queue] }]");
        assertThat(stage.check("").delayMicros()).isZero();
        assertThat(stage.check("").delayMicros()).isEqualTo(1_000_000);
        assertThat(stage.check("").delayMicros()).isEqualTo(2_000_000);
    }

    @Test
    void listenersAreToldAndMayFail() {
        Stage stage = new Stage("rules: [{ name: a, limits: [1 per 1m] }]");
        List<Boolean> told = new ArrayList<>();
        stage.engine.listener((request, verdict) -> {
            throw new IllegalStateException("a listener that fails, on purpose");
        });
        stage.engine.listener((request, verdict) -> told.add(verdict.allowed()));
        stage.check("");
        stage.check("");
        stage.engine.peek(request("")).join();
        assertThat(told).containsExactly(true, false);
    }

    // ---- KeyOverrides

    @Test
    void aKeyIsBlockedForAWhile() {
        Stage stage =
                new Stage("rules: [{ name: a, key: [user], limits: unlimited }, { name: b, limits: [9 per 1m] }]");
        stage.engine.block("a", "x", stage.now().plusSeconds(30));
        Verdict blocked = stage.check("user=x");
        assertThat(blocked.allowed()).isFalse();
        assertThat(decisive(blocked).limiterName()).isEqualTo("blocked");
        assertThat(decisive(blocked).decision().retryAfter()).isEqualTo(Duration.ofSeconds(30));
        assertThat(stage.check("user=y").allowed()).isTrue();
        assertThat(stage.engine.keyOverrides()).hasSize(1);
        stage.pass(Duration.ofSeconds(30));
        assertThat(stage.check("user=x").allowed()).isTrue();
        assertThat(stage.engine.keyOverrides()).isEmpty();
        assertThat(decisive(stage.check("user=x")).decision().remaining()).isEqualTo(6);
    }

    @Test
    void aKeyGetsOtherLimitsForAWhile() {
        Stage stage = new Stage("rules: [{ name: a, key: [user], limits: [1 per 1h] }]");
        stage.check("user=x");
        stage.engine.override(
                "a", "x", List.of(Limit.slidingLog(3, MINUTE)), stage.now().plus(MINUTE));
        assertThat(stage.allowed(5, "user=x")).isEqualTo(3);
        assertThat(stage.engine.inspect("a", "x").join())
                .extracting(ruleDecision -> ruleDecision.decision().remaining())
                .isEqualTo(0L);
        assertThat(stage.engine.reset("a", "x")).isTrue();
        assertThat(stage.allowed(5, "user=x")).isEqualTo(3);
        stage.engine.override("a", "x", List.of(), stage.now().plus(MINUTE));
        assertThat(stage.allowed(50, "user=x")).isEqualTo(50);
        assertThat(stage.engine.clear("a", "x")).isTrue();
        assertThat(stage.engine.clear("a", "x")).isFalse();
        assertThat(stage.allowed(5, "user=x")).isEqualTo(1);
    }

    @Test
    void whatCannotBeOrderedIsRefused() {
        Stage stage = new Stage("rules: [{ name: a, limits: [1 per 1h] }]");
        assertThatThrownBy(() -> stage.engine.block("b", "x", stage.now().plusSeconds(1)))
                .hasMessage("there is no rule named 'b'");
        assertThatThrownBy(() -> stage.engine.block("a", "x", stage.now()))
                .hasMessage("it would have ended already: until 1970-01-01T00:00:00Z");
    }

    @Test
    void aKeyIsInspectedAndReset() {
        Stage stage = new Stage("""
                rules:
                  - { name: a, key: [user, ip], limits: [5 per 1m], overrides: [{ user: vip, limits: [9 per 1m] }] }
                """);
        stage.check("user=vip ip=2001:db8::7");
        stage.check("user=x|y ip=1.2.3.4");
        RuleDecision vip = Objects.requireNonNull(
                stage.engine.inspect("a", "vip|2001:db8::/64").join());
        assertThat(vip.limiterName()).isEqualTo("a/user=vip");
        assertThat(vip.decision().remaining()).isEqualTo(8);
        assertThat(Objects.requireNonNull(
                                stage.engine.inspect("a", "x\\|y|1.2.3.4").join())
                        .decision()
                        .remaining())
                .isEqualTo(4);
        assertThat(stage.engine.inspect("a", "nonsense").join()).isNull();
        assertThat(stage.engine.inspect("b", "x").join()).isNull();
        assertThat(stage.engine.reset("b", "x")).isFalse();
        stage.engine.reset("a", "vip|2001:db8::/64");
        assertThat(Objects.requireNonNull(
                                stage.engine.inspect("a", "vip|2001:db8::/64").join())
                        .decision()
                        .remaining())
                .isEqualTo(9);
    }

    private static RuleDecision decisive(Verdict verdict) {
        return Objects.requireNonNull(verdict.decisive());
    }
}
