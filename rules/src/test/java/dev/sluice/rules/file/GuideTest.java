package dev.sluice.rules.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every piece of a rule file in docs/rules.md is read, and what is refused is refused as the page says. */
class GuideTest {
    private static final Path PAGE = Path.of("..", "docs", "rules.md");
    private static final Pattern YAML = Pattern.compile("^```yaml\\n(.*?)^```$", Pattern.DOTALL | Pattern.MULTILINE);
    private static final Pattern REFUSED = Pattern.compile(
            "^```yaml refused\\n(.*?)^```\\n\\n```text\\n(.*?)^```$", Pattern.DOTALL | Pattern.MULTILINE);

    static List<String> blocks() throws IOException {
        return YAML.matcher(Files.readString(PAGE))
                .results()
                .map(match -> match.group(1))
                .toList();
    }

    @ParameterizedTest
    @MethodSource("blocks")
    void isRead(String block) {
        assertThat(RuleFile.parse("rules.md", whole(block))).isNotNull();
    }

    /** A file around a piece: rules, limits, fields of the file or fields of a rule. */
    private static String whole(String block) {
        if (block.contains("rules:\n")) {
            return block;
        }
        if (block.startsWith("- name:")) {
            return "rules:\n" + block;
        }
        if (block.startsWith("- ")) {
            return "rules:\n- name: a\n  limits:\n" + block.indent(2);
        }
        if (block.startsWith("trusted-proxies:")) {
            return block + "rules: []";
        }
        String rest = block.startsWith("limits:") ? "" : "  limits: [5 per 1m]\n";
        return "rules:\n- name: a\n" + rest + block.indent(2);
    }

    @Test
    void isRefusedAsItSays() throws IOException {
        MatchResult refused =
                REFUSED.matcher(Files.readString(PAGE)).results().findFirst().orElseThrow();
        RuleFileException refusal =
                catchThrowableOfType(RuleFileException.class, () -> RuleFile.parse("rules.yaml", refused.group(1)));
        assertThat(refusal.problems().stream().map(FileProblem::toString))
                .containsExactlyElementsOf(refused.group(2).lines().toList());
    }
}
