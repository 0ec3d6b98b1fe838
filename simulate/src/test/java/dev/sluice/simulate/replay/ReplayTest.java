package dev.sluice.simulate.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What rules do to a log: counts, waits on the log's own clock, and what the log must have. */
class ReplayTest {
    private static final String IP = "\"ip\":\"203.0.113.9\"";

    private static String times(int count, String entry) {
        return Replays.log(Collections.nCopies(count, entry).toArray(String[]::new));
    }

    private static RuleResult only(ReplayReport report) {
        assertThat(report.result().rules()).hasSize(1);
        return report.result().rules().get(0);
    }

    @Test
    void aRuleAllowsWhatItsLimitAllowsAndCountsTheRest() {
        String log = times(8, "1 " + IP) + times(3, "2 \"ip\":\"203.0.113.8\"") + times(8, "61.5 " + IP);
        ReplayReport report = Replays.replay("rules: [{name: a, key: [ip], limits: [5 per 1m sliding-log]}]", log);
        RuleResult rule = only(report);
        assertThat(report.result().requests()).isEqualTo(19);
        assertThat(report.result().allowed()).isEqualTo(13);
        assertThat(report.result().denied()).isEqualTo(6);
        assertThat(rule.matched()).isEqualTo(19);
        assertThat(rule.allowed()).isEqualTo(13);
        assertThat(rule.denied()).isEqualTo(6);
        assertThat(rule.keys()).isEqualTo(2);
        assertThat(rule.keysHit()).isEqualTo(1);
        assertThat(rule.top()).containsExactly(new RuleResult.Key("203.0.113.9", 16, 6, 0, 8));
        assertThat(rule.worst())
                .extracting(RuleResult.Moment::stopped, RuleResult.Moment::key)
                .containsExactly(tuple(3L, "203.0.113.9"), tuple(3L, "203.0.113.9"));
        assertThat(rule.rates()).containsExactly(new RuleResult.Rate(2, 1, 0), new RuleResult.Rate(8, 1, 1));
    }

    @Test
    void onlyRequestsThatMeetTheConditionsAreCounted() {
        String rules = "rules: [{name: a, when: {path: /login, method: POST}, key: [ip], limits: [1 per 1m]}]";
        String log = Replays.log(
                "1 " + IP + ",\"path\":\"/login?x\",\"method\":\"POST\"",
                "2 " + IP + ",\"path\":\"/login\",\"method\":\"GET\"",
                "3 " + IP + ",\"path\":\"/\",\"method\":\"POST\"",
                "4 " + IP + ",\"path\":\"/x/..%2flogin\",\"method\":\"POST\"");
        RuleResult rule = only(Replays.replay(rules, log));
        assertThat(rule.matched()).isEqualTo(2);
        assertThat(rule.denied()).isEqualTo(1);
    }

    @Test
    void waitsPassOnTheClockOfTheLog() {
        String rules = "rules: [{name: a, key: [ip], limits: [1 per 1s token-bucket], on-exceed: wait up to 2s}]";
        ReplayReport report = Replays.replay(rules, times(4, "1 " + IP) + times(1, "10 " + IP));
        RuleResult rule = only(report);
        assertThat(rule.allowed()).isEqualTo(4);
        assertThat(rule.denied()).isEqualTo(1);
        assertThat(rule.waited()).isEqualTo(2);
        assertThat(rule.totalWaitMicros()).isEqualTo(3_000_000);
        assertThat(rule.longestWaitMicros()).isEqualTo(2_000_000);
        assertThat(report.result().waited()).isEqualTo(2);
    }

    @Test
    void thoseWhoWaitWhenTheLogEndsAreCounted() {
        String rules = "rules: [{name: a, key: [ip], limits: [1 per 1m token-bucket], on-exceed: wait up to 5m}]";
        RuleResult rule = only(Replays.replay(rules, times(5, "1 " + IP)));
        assertThat(rule.matched()).isEqualTo(5);
        assertThat(rule.allowed()).isEqualTo(5);
        assertThat(rule.longestWaitMicros()).isEqualTo(240_000_000);
    }

    @Test
    void waitsForSeveralRulesPassOnTheClockOfTheLog() {
        String rules = "rules: [{name: a, key: [ip], limits: [1 per 1s token-bucket], on-exceed: wait up to 3s},"
                + " {name: b, limits: [2 per 10s sliding-log], on-exceed: wait up to 3s}]";
        ReplayReport report = Replays.replay(rules, times(4, "1 " + IP));
        assertThat(report.result().allowed()).isEqualTo(2);
        assertThat(report.result().denied()).isEqualTo(2);
        assertThat(report.result().rules().get(0).longestWaitMicros()).isEqualTo(1_000_000);
    }

    @Test
    void theDelayOfAQueueIsAWait() {
        String rules = "rules: [{name: a, limits: [1 per 1s leaky-bucket capacity=3 queue]}]";
        RuleResult rule = only(Replays.replay(rules, times(6, "1 " + IP)));
        assertThat(rule.allowed() + rule.denied()).isEqualTo(6);
        assertThat(rule.waited()).isEqualTo(rule.allowed() - 1);
    }

    @Test
    void shadowAndDegradeStopNothing() {
        String log = times(3, "1 " + IP);
        ReplayReport shadow = Replays.replay("rules: [{name: a, limits: [1 per 1m], on-exceed: shadow}]", log);
        assertThat(shadow.result().allowed()).isEqualTo(3);
        assertThat(only(shadow).shadowed()).isEqualTo(2);
        ReplayReport degrade = Replays.replay("rules: [{name: a, limits: [1 per 1m], on-exceed: degrade}]", log);
        assertThat(degrade.result().degraded()).isEqualTo(2);
        assertThat(only(degrade).degraded()).isEqualTo(2);
        assertThat(only(degrade).denied()).isZero();
    }

    @Test
    void sheddingIsToldApartFromDenial() {
        RuleResult rule = only(Replays.replay(
                "rules: [{name: a, limits: [100 per 1m sliding-log], shed-from: 10%}]", times(400, "1 " + IP)));
        assertThat(rule.shed()).isPositive();
        assertThat(rule.allowed() + rule.denied() + rule.shed()).isEqualTo(400);
    }

    @Test
    void aRuleOnTheStatusCountsResponsesOfThatStatusAndThenDeniesAll() {
        String rules = "rules: [{name: a, when: {path: /login, status: [401, 403]}, key: [ip], limits: [2 per 1m]}]";
        String right = "1 " + IP + ",\"path\":\"/login\",\"status\":200";
        String wrong = "1 " + IP + ",\"path\":\"/login\",\"status\":401";
        ReplayReport report = Replays.replay(rules, Replays.log(right, right, right, wrong, wrong, right, wrong));
        assertThat(report.result().allowed()).isEqualTo(5);
        assertThat(report.result().denied()).isEqualTo(2);
    }

    @Test
    void permitsOfAConcurrencyLimitAreHeldForAsLongAsTheRequestTook() {
        String rules = "rules: [{name: a, limits: [2 at once]}]";
        String entry = " " + IP + ",\"duration\":2.5";
        ReplayReport report =
                Replays.replay(rules, Replays.log("1" + entry, "2" + entry, "3" + entry, "3.6" + entry, "4" + entry));
        assertThat(report.result().allowed()).isEqualTo(3);
    }

    @Test
    void windowsAlignedToTheCalendarTurnByTheDatesOfTheLog() {
        String rules =
                "rules: [{name: a, limits: [{permits: 2, per: 1d, algorithm: fixed-window, aligned: Asia/Shanghai}]}]";
        // Midnight in Shanghai is 16:00 UTC.
        ReplayReport report =
                Replays.replay(rules, times(3, "57500 " + IP) + times(1, "57599 " + IP) + times(3, "57600 " + IP));
        assertThat(report.result().allowed()).isEqualTo(4);
    }

    @Test
    void timeThatGoesBackwardsIsNoTime() {
        String rules = "rules: [{name: a, limits: [1 per 10s sliding-log]}]";
        ReplayReport report = Replays.replay(rules, Replays.log("100 " + IP, "50 " + IP, "109 " + IP, "110 " + IP));
        assertThat(report.result().allowed()).isEqualTo(2);
        assertThat(report.result().requests()).isEqualTo(4);
        assertThat(report.log().backwards()).isEqualTo(1);
        assertThat(ReplayText.of(report))
                .contains("1 requests are older than one before them, by up to 50s, the first at -:2");
    }

    @Test
    void aPathThatWasMadeToBeMisreadIsDeniedAsOnAServer() {
        String path = "//a%252f;/../b#c;%5cd%3fe".repeat(8);
        ReplayReport report = Replays.replay(
                "rules: [{name: a, when: {path: /login}, limits: [1 per 1m]}]",
                Replays.log("1 " + IP + ",\"path\":\"" + path + "\"", "2 " + IP + ",\"path\":\"/login\""));
        assertThat(report.result().denied()).isEqualTo(1);
        assertThat(report.result().rules())
                .extracting(RuleResult::name, RuleResult::denied)
                .containsExactly(tuple("a", 0L), tuple("ambiguous-path", 1L));
    }

    @Test
    void anAttributeThatTheLogLacksIsNamedWithTheRuleAndWhatThereIs() {
        String common = "203.0.113.9 - - [16/Nov/2026:09:13:25 +0000] \"GET / HTTP/1.1\" 200 1\n";
        assertThatThrownBy(() ->
                        Replays.replay("rules: [{name: per-key, key: [header.x-api-key], limits: [1 per 1m]}]", common))
                .isInstanceOf(ReplayException.class)
                .hasMessage("rules.yaml: rule 'per-key' asks for 'header.x-api-key', which - does not have."
                        + " Its format, common, has ip, user, method, path, status, bytes");
        assertThatThrownBy(() -> Replays.replay("rules: [{name: slots, limits: [3 at once]}]", common))
                .hasMessageStartingWith(
                        "rules.yaml: rule 'slots' limits how many requests run at once, and - does not say");
        assertThatThrownBy(() -> Replays.replay("rules: [{name: s, key: [status], limits: [3 per 1m]}]", common))
                .hasMessageContaining("rule 's' uses 'status' in its key or an override");
        assertThatThrownBy(() -> Replays.replay(
                        "rules: [{name: s, when: {status: 401}, limits: [3 per 1m]}]", times(1, "1 " + IP)))
                .hasMessageContaining("rule 's' asks for 'status'");
    }

    @Test
    void twoSetsOfRulesAreShownSideBySide() {
        String strict = "rules: [{name: a, key: [ip], limits: [2 per 1m]}]";
        String lax = "rules: [{name: a, key: [ip], limits: [5 per 1m]}, {name: b, limits: [3 per 1m]}]";
        ReplayReport report = Replays.compare(strict, lax, times(4, "1 " + IP));
        assertThat(report.change()).isEqualTo(new ReplayReport.Change(0, 1));
        assertThat(ReplayText.of(report))
                .contains("rules.yaml      others.yaml")
                .contains("others.yaml denies 0 requests that rules.yaml allows, and allows 1 that it denies.");
        assertThat(Replays.compare(lax, strict, times(4, "1 " + IP)).change()).isEqualTo(new ReplayReport.Change(1, 0));
    }

    @Test
    void twoSetsOfRulesOfWhichOneWaitsAreComparedByWhatComesOfIt() {
        String rejects = "rules: [{name: a, limits: [1 per 1s token-bucket]}]";
        String waits = "rules: [{name: a, limits: [1 per 1s token-bucket], on-exceed: wait up to 2s}]";
        assertThat(Replays.compare(rejects, waits, times(4, "1 " + IP)).change())
                .isEqualTo(new ReplayReport.Change(0, 2));
    }

    @Test
    void theTextShowsWhatWasHit() {
        List<String> entries = new ArrayList<>();
        for (int i = 0; i < 90; i++) {
            entries.add(i + " " + (i % 3 == 0 ? "\"ip\":\"203.0.113.8\"" : IP));
        }
        String text = ReplayText.of(Replays.replay(
                "rules: [{name: a, key: [ip], limits: [20 per 1m sliding-log]}]",
                Replays.log(entries.toArray(String[]::new)) + "rubbish\n"));
        assertThat(text).startsWith("""
                - (json): 90 requests from 2026-11-16 00:00:00 to 2026-11-16 00:01:29 UTC
                1 of 91 lines are wrong and were left out:
                  -:91: not JSON at column 1: expected an object, was 'rubbish'

                rules.yaml: allowed 70 (77.8 %), denied 20 (22.2 %)

                a: 20 per 1m sliding-log by ip
                  matched 90, allowed 70, denied 20 (22.2 %); 1 of 2 keys hit
                  hit most                                   requests     denied             waited    max/min
                    203.0.113.9                                    60         20    33.3 %        0         40
                  worst minutes (UTC)
                    2026-11-16 00:00  20 denied, 20 of them 203.0.113.9
                """);
    }
}
