package dev.sluice.server.simulate;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Method;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every Java snippet of docs/algorithms.md compiles and runs. Where a line ends in {@code // => value}, the expression
 * on it has that value. Time stands still unless the snippet moves it: {@code clock} is the ticker's nanoseconds.
 */
class AlgorithmsPageTest {
    private static final Pattern SNIPPET = Pattern.compile("```java\\n(.*?)```", Pattern.DOTALL);
    private static final Pattern CHECK = Pattern.compile("(?m)^(.+);\\s*// => (.+)$");

    @TempDir
    Path folder = Path.of("");

    @TestFactory
    Stream<DynamicTest> everySnippetDoesWhatItSays() throws IOException {
        String page = Files.readString(Path.of("..", "docs", "algorithms.md"));
        List<MatchResult> snippets = SNIPPET.matcher(page).results().toList();
        assertThat(snippets).hasSizeGreaterThanOrEqualTo(10);
        return snippets.stream().map(snippet -> {
            long line = page.substring(0, snippet.start()).lines().count() + 1;
            return DynamicTest.dynamicTest("algorithms.md:" + line, () -> run("Snippet" + line, snippet.group(1)));
        });
    }

    private void run(String name, String body) throws Exception {
        String checked = CHECK.matcher(body).replaceAll("same($1, \"$2\");");
        String source =
                "import dev.sluice.*;import java.time.*;import java.time.temporal.ChronoUnit;import java.util.*;"
                        + "public class " + name
                        + "{static void same(Object is,String said){if(!String.valueOf(is).equals(said))"
                        + "throw new AssertionError(\"the page says \"+said+\", it is \"+is);}"
                        + "static long now;static Ticker clock=()->now*1_000_000_000L;static void at(long s){now=s;}"
                        + "public static void run()throws Exception{\n" + checked + "}}";
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        JavaFileObject file =
                new SimpleJavaFileObject(URI.create("string:///" + name + ".java"), JavaFileObject.Kind.SOURCE) {
                    @Override
                    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                        return source;
                    }
                };
        List<String> options =
                List.of("-cp", System.getProperty("java.class.path"), "-d", folder.toString(), "-proc:none");
        assertThat(compiler.getTask(null, null, null, options, null, List.of(file))
                        .call())
                .as(source)
                .isTrue();
        try (URLClassLoader loader =
                new URLClassLoader(new URL[] {folder.toUri().toURL()})) {
            Method method = loader.loadClass(name).getMethod("run");
            method.invoke(null);
        }
    }
}
