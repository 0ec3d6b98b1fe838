package dev.sluice.rules.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Limit;
import dev.sluice.rules.Rule;
import dev.sluice.rules.RuleSet;
import dev.sluice.rules.match.Condition;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What is written is read as the same rules. */
class RuleTextTest {
    static Stream<RuleSet> sets() {
        return Stream.concat(
                Stream.of(RuleFile.example()),
                Sample.all("good").stream().map(sample -> RuleFile.parse(sample.name(), sample.text())));
    }

    @ParameterizedTest
    @MethodSource("sets")
    void isReadAsTheSameRules(RuleSet rules) {
        String text = RuleText.of(rules.rules());
        assertThat(RuleFile.parse("written.yaml", text).rules()).as(text).isEqualTo(rules.rules());
    }

    @Test
    void leavesDefaultsOutAndEscapesWhatIsNotAGlob() {
        Rule rule = Rule.named("a")
                .when(Condition.is("tenant", "50% *of* what? \\ #1: [x]"))
                .key("ip")
                .limits(Limit.parse("5 per 1m sliding-log"))
                .build();
        String text = RuleText.of(rule);
        assertThat(text)
                .startsWith("name: a\n")
                .contains("5 per 1m sliding-log")
                .doesNotContain("batch", "priority");
        assertThat(RuleFile.parse("written.yaml", RuleText.of(List.of(rule))).rules())
                .containsExactly(rule);
    }
}
