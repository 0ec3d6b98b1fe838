package dev.sluice.server.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.rules.Rule;
import dev.sluice.rules.file.RuleFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ShadowRulesTest {
    private static final String SUGGESTED = """
            rules:
              # 99.9 % need at most 32.
              - name: requests-per-ip
                key: [ip]
                limits: [45 per 1m sliding-log]
            """;

    private final ShadowRules shadows = ShadowRules.of(SUGGESTED);

    @Test
    void everyRuleIsAShadow() {
        assertThat(shadows.file()).isEqualTo("""
                rules:
                  # 99.9 % need at most 32.
                  - name: requests-per-ip-proposed
                    key: [ip]
                    limits: [45 per 1m sliding-log]
                    on-exceed: shadow
                """);
        assertThat(shadows.names()).containsExactly("requests-per-ip-proposed");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "rules:\n  - name: a\n    limits: [5 per 1m]\n",
                "rules:\n- name: a\n  limits: [5 per 1m]\n",
                "store: memory\nrules:   # mine\n      - name: a\n        limits: [5 per 1m]\nmemory: 25%\n",
                "rules:\r\n  - name: a\r\n    limits: [5 per 1m]\r\n"
            })
    void rulesStayAsTheyAreAndAProposalCanBeReplaced(String text) {
        String once = shadows.beside(text);
        assertThat(RuleFile.parse("x", once).rules())
                .extracting(Rule::name)
                .containsExactly("requests-per-ip-proposed", "a");
        assertThat(shadows.beside(once)).isEqualTo(once);
        String other = ShadowRules.of(SUGGESTED.replace("45", "46")).beside(once);
        assertThat(other).contains("46 per 1m").doesNotContain("45 per 1m");
        assertThat(shadows.beside(other)).isEqualTo(once);
    }

    @Test
    void whatCannotBeDoneIsSaid() {
        assertThatThrownBy(() -> shadows.beside("rules: [{name: a, limits: [5 per 1m]}]\n"))
                .hasMessageContaining("not a list under a line of its own");
        String once = shadows.beside("rules:\n  - name: a\n    limits: [5 per 1m]\n");
        assertThatThrownBy(() -> shadows.beside(once.replace("45 per", "4 per")))
                .hasMessage("somebody has changed what was proposed before");
        assertThatThrownBy(() -> shadows.beside("rules:\n  - name: requests-per-ip-proposed\n    limits: [5 per 1m]\n"))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> shadows.beside("rules:\n  - name: [\n")).isInstanceOf(IllegalArgumentException.class);
    }
}
