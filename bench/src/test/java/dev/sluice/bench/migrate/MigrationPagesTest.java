package dev.sluice.bench.migrate;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** What the pages of docs/migrate show is compiled: each snippet of Java stands in a test of this package. */
class MigrationPagesTest {
    private static final Path PAGES = Path.of("../docs/migrate");
    private static final Path SOURCES = Path.of("src/test/java/dev/sluice/bench/migrate");
    private static final Pattern SNIPPET = Pattern.compile("^```java\\n(.*?)^```$", Pattern.DOTALL | Pattern.MULTILINE);
    private static final Pattern NAMED = Pattern.compile("`(\\w+Test)`");

    @TestFactory
    Stream<DynamicTest> everySnippetIsCompiled() throws IOException {
        String compiled = squeezed(texts(SOURCES, ".java").collect(Collectors.joining()));
        List<String> snippets =
                texts(PAGES, ".md").flatMap(MigrationPagesTest::snippets).toList();
        assertThat(snippets).hasSizeGreaterThanOrEqualTo(8);
        return snippets.stream()
                .map(snippet -> DynamicTest.dynamicTest(
                        snippet.lines().findFirst().orElse(""),
                        () -> assertThat(compiled).contains(squeezed(snippet))));
    }

    /** Each page says which test holds it, and that test exists. */
    @Test
    void everyPageNamesItsTest() throws IOException {
        List<String> tests = Stream.of("../bench", "../server", "../spring-gateway")
                .map(module -> Path.of(module, "src", "test"))
                .flatMap(folder -> names(folder).stream())
                .toList();
        try (Stream<Path> pages = Files.list(PAGES)) {
            assertThat(pages.filter(page -> !page.endsWith("README.md")).toList())
                    .hasSize(7)
                    .allSatisfy(page -> assertThat(NAMED.matcher(Files.readString(page))
                                    .results()
                                    .map(match -> match.group(1) + ".java")
                                    .toList())
                            .isNotEmpty()
                            .allMatch(tests::contains));
        }
    }

    private static List<String> names(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.map(file -> file.getFileName().toString()).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Stream<String> texts(Path folder, String ending) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            List<Path> found =
                    files.filter(file -> file.toString().endsWith(ending)).toList();
            return found.stream().map(MigrationPagesTest::read);
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Stream<String> snippets(String page) {
        return SNIPPET.matcher(page).results().map((MatchResult match) -> match.group(1));
    }

    private static String squeezed(String text) {
        return text.replaceAll("\\s+", "");
    }
}
