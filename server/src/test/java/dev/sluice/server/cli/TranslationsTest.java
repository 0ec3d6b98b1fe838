package dev.sluice.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The Chinese pages keep up with the English ones. Under each Chinese heading stands a comment with the English heading
 * that it renders, {@code <!-- en: The calls -->}. A heading that is added, renamed, moved or removed in English fails
 * here until the Chinese page follows.
 */
class TranslationsTest {
    private static final Path ROOT = Path.of("..");
    private static final Pattern FENCE = Pattern.compile("(?ms)^```.*?^```$");
    private static final Pattern HEADING = Pattern.compile("(?m)^(#+) (.+)$");
    private static final Pattern RENDERED = Pattern.compile("(?m)^(#+) .+\\n<!-- en: (.+) -->$");

    @ParameterizedTest
    @CsvSource({
        "README.md, README.zh-CN.md",
        "docs/quickstart.md, docs/zh/quickstart.md",
        "docs/algorithms.md, docs/zh/algorithms.md",
        "docs/layers.md, docs/zh/layers.md",
        "docs/glossary.md, docs/zh/glossary.md"
    })
    void everyEnglishHeadingHasAChineseOne(String english, String chinese) throws IOException {
        assertThat(headings(RENDERED, chinese))
                .as("the English headings that %s renders, beside those of %s", chinese, english)
                .isEqualTo(headings(HEADING, english));
    }

    @ParameterizedTest
    @CsvSource({
        "README.zh-CN.md",
        "docs/zh/quickstart.md",
        "docs/zh/algorithms.md",
        "docs/zh/layers.md",
        "docs/zh/glossary.md"
    })
    void everyChineseHeadingSaysWhatItRenders(String chinese) throws IOException {
        assertThat(headings(RENDERED, chinese)).hasSameSizeAs(headings(HEADING, chinese));
    }

    private static List<String> headings(Pattern pattern, String page) throws IOException {
        String text = FENCE.matcher(Files.readString(ROOT.resolve(page))).replaceAll("");
        Stream<String> found = pattern.matcher(text).results().map(match -> match.group(1) + " " + match.group(2));
        return found.toList();
    }
}
