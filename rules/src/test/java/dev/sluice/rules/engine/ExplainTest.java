package dev.sluice.rules.engine;

import static dev.sluice.rules.engine.Stage.request;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.rules.Explanation;
import java.util.List;
import org.junit.jupiter.api.Test;

class ExplainTest {
    private final Stage stage = new Stage("""
            rules:
              - { name: login, when: { path: /login, method: POST }, key: [ip], limits: [2 per 1m sliding-log] }
              - { name: users, key: [user], limits: [10 per 1m] }
              - { name: free, limits: unlimited }
              - { name: held, limits: [1 at once], priority: { low: 50% } }
              - name: vips
                key: [ip]
                limits: [1 per 1m]
                overrides: [{ ip: 10.0.0.0/8, limits: [9 per 1m] }, { ip: 1.2.3.4, limits: [8 per 1m] }]
            """);

    private List<Explanation.Considered> explained(String attributes, long cost) {
        Explanation explanation =
                stage.engine.explain(request(attributes, cost)).join();
        assertThat(explanation.rules())
                .extracting(each -> each.rule().name())
                .containsExactly("login", "users", "free", "held", "vips");
        return explanation.rules();
    }

    @Test
    void everyRuleSaysWhyItAppliesOrNot() {
        List<Explanation.Considered> rules = explained("path=/login method=GET ip=1.2.3.4", 1);
        assertThat(rules).extracting(Explanation.Considered::applies).containsExactly(false, false, true, true, true);
        assertThat(rules)
                .extracting(Explanation.Considered::reason)
                .containsExactly(
                        "method: POST does not match: was 'GET'",
                        "the request has no user, which its key needs",
                        "it applies to every request, and it is unlimited",
                        "it applies to every request",
                        "it applies to every request");
        assertThat(rules).extracting(Explanation.Considered::override).containsExactly(0, 0, 0, 0, 2);
        assertThat(explained("ip=1.2.3.4", 1).get(0).reason())
                .isEqualTo("path: /login does not match: the request has none");
    }

    @Test
    void whatStandsInTheWaySaysWhatWouldHelp() {
        String login = "path=/login method=POST ip=1.2.3.4";
        stage.check(login);
        assertThat(explained(login, 2).get(0).remedy())
                .isEqualTo("a wait of PT1M, or a cost of at most 1, or a reset of the key");
        assertThat(explained(login, 3).get(0).remedy())
                .isEqualTo("a cost of 3 is more than it ever grants at once; ask for at most 2");
        assertThat(explained(login, 1).get(0).remedy()).isEmpty();
        assertThat(explained(login, 1).get(3).remedy())
                .isEqualTo("a release of permits that are held, or a reset of the key");
        stage.engine.block("login", "1.2.3.4", stage.now().plusSeconds(90));
        assertThat(explained(login, 1).get(0).remedy())
                .isEqualTo("the key is blocked for another PT1M30S; clear the block");
    }

    @Test
    void nothingIsTaken() {
        for (int i = 0; i < 5; i++) {
            assertThat(stage.engine.explain(request("user=x")).join().verdict().allowed())
                    .isTrue();
        }
        assertThat(stage.allowed(20, "user=x")).isEqualTo(1);
    }
}
