package dev.sluice.server.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Every text that a page asks for is there, in both languages, and nothing of a page comes from elsewhere or is inline. */
class PageTextsTest {
    private static final Path FOLDER = Path.of("src", "main", "resources", "dev", "sluice", "server", "page");
    /** These have a language of their own. */
    private static final Set<String> OTHERS =
            Set.of("demo.html", "demo.js", "playground.html", "playground.js", "sluice.js", "uplot.js");

    private static final Pattern NAMED = Pattern.compile("data-text(?:-[a-z]+)?=\"([^\"]+)\"");
    private static final Pattern CALL = Pattern.compile("\\btext\\(((?:[^()]|\\([^()]*\\))*)\\)");
    private static final Pattern WORD = Pattern.compile("'([\\w-]+)'");
    private static final Pattern STARTS = Pattern.compile("`([\\w-]+)\\$\\{");
    private static final Pattern PLACEHOLDER = Pattern.compile("\\{(\\w+)}");

    @Test
    void bothLanguagesHaveTheSameTexts() throws IOException {
        for (Path english : files(name -> name.endsWith("-en.json"))) {
            Path chinese =
                    english.resolveSibling(english.getFileName().toString().replace("-en.", "-zh."));
            JsonObject en = new JsonObject(Files.readString(english));
            JsonObject zh = new JsonObject(Files.readString(chinese));
            assertThat(zh.fieldNames()).as(chinese.toString()).isEqualTo(en.fieldNames());
            for (String key : en.fieldNames()) {
                assertThat(placeholders(zh.getString(key)))
                        .as(chinese + ": " + key)
                        .isEqualTo(placeholders(en.getString(key)));
                assertThat(zh.getString(key)).as(key).isNotBlank();
            }
        }
    }

    @Test
    void everyTextThatIsAskedForIsThere() throws IOException {
        Set<String> known = new TreeSet<>();
        for (Path file : files(name -> name.endsWith("-en.json"))) {
            known.addAll(new JsonObject(Files.readString(file)).fieldNames());
        }
        Set<String> used = new TreeSet<>();
        for (Path page : files(name -> name.endsWith(".html"))) {
            Files.readString(page).transform(NAMED::matcher).results().forEach(each -> used.add(each.group(1)));
        }
        for (Path script : files(name -> name.endsWith(".js"))) {
            String source = Files.readString(script);
            CALL.matcher(source).results().map(each -> each.group(1)).forEach(call -> {
                keys(call).forEach(used::add);
                STARTS.matcher(call)
                        .results()
                        .forEach(start -> assertThat(known)
                                .as(script + ": " + call)
                                .anyMatch(key -> key.startsWith(start.group(1)) && !key.equals(start.group(1))));
            });
        }
        assertThat(used).hasSizeGreaterThan(100);
        assertThat(known).containsAll(used);
    }

    /** The keys in a call: each word that stands where a key may, before the values for its placeholders. */
    private static Stream<String> keys(String call) {
        String before = call.replaceAll("(?s)(?<!\\$)\\{.*", "").replaceAll("===? '[\\w-]+'", "");
        return WORD.matcher(before).results().map(each -> each.group(1));
    }

    @Test
    void nothingIsInlineOrFromElsewhere() throws IOException {
        for (Path page : files(name -> name.endsWith(".html"))) {
            String html = Files.readString(page);
            assertThat(html)
                    .as(page.toString())
                    .doesNotContainPattern("<script(?![^>]* src=)")
                    .doesNotContainPattern("<style|\\sstyle=|\\son[a-z]+=")
                    .contains("<a class=\"skip\" href=\"#main\"", "id=\"main\"");
            assertThat(html.replace("http://www.w3.org/2000/svg", ""))
                    .as(page.toString())
                    .doesNotContain("http:", "https:", "\"//");
        }
        for (Path script : files(name -> name.endsWith(".js"))) {
            assertThat(Files.readString(script))
                    .as(script.toString())
                    .doesNotContain("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(");
        }
    }

    private static List<Path> files(Predicate<String> wanted) throws IOException {
        try (Stream<Path> files = Files.list(FOLDER)) {
            return files.filter(file -> wanted.test(file.getFileName().toString()))
                    .filter(file -> !OTHERS.contains(file.getFileName().toString()))
                    .sorted()
                    .toList();
        }
    }

    private static Set<String> placeholders(String text) {
        return PLACEHOLDER
                .matcher(text)
                .results()
                .map((MatchResult each) -> each.group(1))
                .collect(Collectors.toSet());
    }
}
