package dev.sluice.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.redis.servers.RedisServer;
import dev.sluice.rules.file.RuleFile;
import dev.sluice.server.ServerSettings;
import dev.sluice.server.SluiceServer;
import dev.sluice.server.ruleset.InitialRules;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.InvocationTargetException;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * What the pages say is so: README.md and the others at the root, and all of docs/.
 *
 * <ul>
 *   <li>Every {@code java} snippet compiles and runs. Where a line ends in {@code // => value}, the expression on it has
 *       that value. {@code clock} is a ticker that stands still, and {@code at(11)} sets it to 11 seconds.
 *   <li>Where one names {@code redis://127.0.0.1:6379}, it is run on a real Redis that is empty.
 *   <li>Where one listens on port 8000, it gets a port of its own and six requests: the sixth is denied with a 429.
 *   <li>Where one names {@code http://127.0.0.1:8080}, a server with the example rules is there, and has time to answer.
 *   <li>Every {@code console} snippet is a call of {@code ./sluice} and what it prints.
 *   <li>Every {@code yaml} snippet that begins with {@code store} is a rule file without a mistake.
 *   <li>Every link leads somewhere, and docs/README.md links to every page.
 * </ul>
 */
@Tag("slow")
class DocsTest {
    private static final Path ROOT = Path.of("..");
    private static final Pattern SNIPPET = Pattern.compile("^```java\\n(.*?)^```$", Pattern.DOTALL | Pattern.MULTILINE);
    private static final Pattern CALL = Pattern.compile(
            "^```console\\n\\$ \\./sluice (simulate[^\\n]+)\\n(.*?)^```$", Pattern.DOTALL | Pattern.MULTILINE);
    private static final Pattern RULES =
            Pattern.compile("^```yaml\\n(store: .*?)^```$", Pattern.DOTALL | Pattern.MULTILINE);
    private static final Pattern CHECK = Pattern.compile("(?m)^(.+);\\s*// => (.+)$");
    private static final Pattern IMPORT = Pattern.compile("(?m)^import .+;$");
    private static final Pattern LINK = Pattern.compile("\\]\\(([^)#\\s]*)(?:#([^)\\s]+))?\\)");
    private static final Pattern HEADING = Pattern.compile("(?m)^#+ (.+)$");
    private static final Pattern CLASS =
            Pattern.compile("`(?:[a-z]+\\.)?([A-Z]\\w+)(?:\\.[a-z]\\w*(?:\\([^)]*\\))?)?`");
    private static final Pattern BUILT = Pattern.compile("<version>([^<]+)</version>");
    private static final Pattern VERSION = Pattern.compile(
            "dev\\.sluice</groupId>\\s*<artifactId>[^<]+</artifactId>\\s*<version>([^<]+)<|dev\\.sluice:[a-z-]+:([^\"`]+)");

    /** Its snippets are compiled and run by the tests of the starter, which have Spring. */
    private static final String SPRING = "docs/spring.md";

    /** Their snippets are compiled by the tests that they name, which have the peers. */
    private static final String MIGRATION = "docs/migrate/";

    /** What stands in the pages for the address of a Redis; one is started for whoever asks. */
    private static final String REDIS = "redis://127.0.0.1:6379";

    /** What stands in the pages for the address of a server. */
    private static final String SERVER = "http://127.0.0.1:8080";

    private static final String CONNECT = "SluiceClient.connect(\"" + SERVER + "\"";

    private static final String LISTEN = "new InetSocketAddress(8000)";

    /** What is sent to a snippet that listens, and what it has to say. */
    private static final String SIX_LOGINS = """
            try {
                for (int i = 1; i <= 6; i++) {
                    var login = (java.net.HttpURLConnection)
                            new java.net.URL("http://127.0.0.1:" + server.getAddress().getPort() + "/login").openConnection();
                    same(login.getResponseCode(), i < 6 ? "200" : "429");
                    String after = login.getHeaderField("Retry-After");
                    same(after != null && Integer.parseInt(after) <= 60 && Integer.parseInt(after) > 0, "" + (i == 6));
                }
            } finally {
                server.stop(0);
            }
            """;

    private static @Nullable RedisServer redis;

    @TempDir
    Path folder = Path.of("");

    @AfterAll
    static void stopRedis() {
        if (redis != null) {
            redis.close();
        }
    }

    /** The address of a Redis in which there is nothing. */
    private static String emptyRedis() {
        if (redis == null) {
            redis = RedisServer.start();
        }
        redis.command("FLUSHALL");
        return redis.url();
    }

    private record Page(String name, String text) {
        static Page read(Path file) {
            try {
                return new Page(ROOT.relativize(file).toString(), Files.readString(file));
            } catch (IOException e) {
                throw new IllegalStateException("cannot read " + file, e);
            }
        }

        Stream<MatchResult> all(Pattern pattern) {
            return pattern.matcher(text).results();
        }

        long lineOf(MatchResult match) {
            return text.substring(0, match.start()).lines().count() + 1;
        }
    }

    @Test
    void classesOnTheArchitecturePageExist() throws IOException {
        List<String> sources;
        try (Stream<Path> files = Files.walk(ROOT)) {
            sources = files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(".java"))
                    .toList();
        }
        List<String> named = CLASS.matcher(Files.readString(ROOT.resolve("docs/architecture.md")))
                .results()
                .map(match -> match.group(1) + ".java")
                .distinct()
                .toList();
        assertThat(named).hasSizeGreaterThan(30);
        assertThat(sources).containsAll(named);
    }

    @TestFactory
    Stream<DynamicTest> everySnippetDoesWhatItSays() throws IOException {
        return tests(SNIPPET, page -> snippet -> {
            String name = page.name.replaceAll("\\W", "_") + page.lineOf(snippet);
            return () -> runWithServer(name, snippet.group(1));
        });
    }

    @TestFactory
    Stream<DynamicTest> everyCallPrintsWhatItSays() throws IOException {
        return tests(CALL, page -> call -> () -> print(call.group(1), call.group(2)));
    }

    @Test
    void everyPageForJavaHasSnippets() throws IOException {
        List<String> withSnippets = pages().stream()
                .filter(page -> page.all(SNIPPET).count() >= 10)
                .map(Page::name)
                .toList();
        assertThat(withSnippets)
                .contains(
                        "docs/quickstart.md",
                        "docs/zh/quickstart.md",
                        "docs/algorithms.md",
                        "docs/zh/algorithms.md",
                        "docs/limiter.md");
    }

    @Test
    void everyLinkLeadsSomewhere() throws IOException {
        List<String> dead = new ArrayList<>();
        for (Page page : pages()) {
            for (MatchResult link : page.all(LINK).toList()) {
                if (!link.group(1).contains("://") && !isThere(page, link)) {
                    dead.add(page.name + ":" + page.lineOf(link) + " " + link.group());
                }
            }
        }
        assertThat(dead).isEmpty();
    }

    /** A folder with an index of its own is in the index of the docs by that. */
    @Test
    void theIndexHasEveryPage() throws IOException {
        Page index = Page.read(ROOT.resolve("docs/README.md"));
        List<String> linked =
                index.all(LINK).map(link -> "docs/" + link.group(1)).toList();
        assertThat(pages().stream()
                        .map(Page::name)
                        .filter(name -> name.startsWith("docs/") && !name.equals(index.name)))
                .allMatch(name -> linked.contains(name) || linked.contains(name.replaceFirst("[^/]+$", "README.md")));
    }

    @Test
    void everyRuleFileIsRead() throws IOException {
        List<String> files = pages().stream()
                .flatMap(page -> page.all(RULES))
                .map(match -> match.group(1))
                .toList();
        assertThat(files)
                .hasSizeGreaterThan(4)
                .allSatisfy(
                        file -> assertThat(RuleFile.parse("rules.yaml", file)).isNotNull());
    }

    @Test
    void theVersionToDependOnIsTheOneThatIsBuilt() throws IOException {
        Page pom = Page.read(ROOT.resolve("pom.xml"));
        String built = pom.all(BUILT).findFirst().orElseThrow().group(1);
        List<String> told = pages().stream()
                .flatMap(page -> page.all(VERSION))
                .map(version -> version.group(1) == null ? version.group(2) : version.group(1))
                .toList();
        assertThat(told).hasSizeGreaterThan(5).containsOnly(built);
    }

    private static List<Page> pages() throws IOException {
        try (Stream<Path> root = Files.list(ROOT);
                Stream<Path> docs = Files.walk(ROOT.resolve("docs"))) {
            return Stream.concat(root, docs)
                    .filter(file -> file.toString().endsWith(".md"))
                    .sorted()
                    .map(Page::read)
                    .toList();
        }
    }

    private interface Check {
        void run() throws Exception;
    }

    private static Stream<DynamicTest> tests(Pattern pattern, Function<Page, Function<MatchResult, Check>> checks)
            throws IOException {
        return pages().stream()
                .filter(page -> !page.name.equals(SPRING) && !page.name.startsWith(MIGRATION))
                .flatMap(page -> page.all(pattern).map(match -> {
                    Check check = checks.apply(page).apply(match);
                    return DynamicTest.dynamicTest(page.name + ":" + page.lineOf(match), check::run);
                }));
    }

    private void print(String args, String said) throws Exception {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        Path picture = folder.resolve("simulation.svg");
        List<String> given = new ArrayList<>(List.of(args.split(" ", -1)));
        given.addAll(List.of("--out", picture.toString()));
        Main.run(new PrintWriter(out, true), new PrintWriter(err, true), given.toArray(new String[0]));
        assertThat(err.toString()).isEmpty();
        assertThat(lines(out.toString().replace(picture.toString(), "simulation.svg")))
                .isEqualTo(lines(said));
    }

    private static List<String> lines(String text) {
        return text.lines().map(String::stripTrailing).toList();
    }

    private static boolean isThere(Page page, MatchResult link) throws IOException {
        Path from = ROOT.resolve(page.name);
        Path to = link.group(1).isEmpty() ? from : from.resolveSibling(link.group(1));
        if (!Files.exists(to)) {
            return false;
        }
        return link.group(2) == null
                || HEADING.matcher(Files.readString(to))
                        .results()
                        .anyMatch(heading -> anchor(heading.group(1)).equals(link.group(2)));
    }

    /** The anchor that a heading gets on the web. */
    private static String anchor(String heading) {
        return heading.toLowerCase(Locale.ROOT).replaceAll("(?U)[^\\w\\- ]", "").replace(' ', '-');
    }

    private void runWithServer(String name, String snippet) throws Exception {
        if (!snippet.contains(SERVER)) {
            run(name, snippet);
            return;
        }
        try (SluiceServer server = SluiceServer.start(ServerSettings.of(InitialRules.example()))) {
            String patient = CONNECT + ", ClientOptions.defaults().timeout(Duration.ofSeconds(20))";
            run(name, snippet.replace(CONNECT, patient).replace(SERVER, "http://127.0.0.1:" + server.port()));
        }
    }

    private void run(String name, String snippet) throws Exception {
        String imports =
                IMPORT.matcher(snippet).results().map(MatchResult::group).collect(Collectors.joining("\n"));
        String told = IMPORT.matcher(snippet).replaceAll("");
        String stored = told.contains(REDIS) ? told.replace(REDIS, emptyRedis()) : told;
        String body =
                stored.contains(LISTEN) ? stored.replace(LISTEN, LISTEN.replace("8000", "0")) + SIX_LOGINS : stored;
        String checked = CHECK.matcher(body).replaceAll("same($1, \"$2\");");
        String source = imports
                + "import dev.sluice.*;import java.time.*;import java.time.temporal.ChronoUnit;import java.util.*;"
                + "import java.util.concurrent.*;import java.util.concurrent.atomic.*;import java.util.stream.*;"
                + "public class " + name
                + "{static void same(Object is,String said){if(!String.valueOf(is).equals(said))"
                + "throw new AssertionError(\"the page says \"+said+\", it is \"+is);}"
                + "static long now;static Ticker clock=()->now*1_000_000_000L;static void at(long s){now=s;}"
                + "public static void run()throws Exception{\n" + checked + "}}";
        compile(name, source);
        try (URLClassLoader loader =
                new URLClassLoader(new URL[] {folder.toUri().toURL()})) {
            loader.loadClass(name).getMethod("run").invoke(null);
        } catch (InvocationTargetException e) {
            throw new AssertionError(e.getCause() + " in\n" + checked, e);
        }
    }

    private void compile(String name, String source) {
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
        StringWriter errors = new StringWriter();
        assertThat(compiler.getTask(errors, null, null, options, null, List.of(file))
                        .call())
                .as(() -> errors + "\n" + source)
                .isTrue();
    }
}
