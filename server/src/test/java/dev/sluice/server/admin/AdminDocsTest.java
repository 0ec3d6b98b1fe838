package dev.sluice.server.admin;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What docs/admin.md shows is so: each call is run, one after the other, on one server, and prints what the page says, but
 * for times and for what depends on them. With {@code -Dsluice.docs=write} the page is written anew.
 */
@Tag("slow")
class AdminDocsTest {
    private static final Path PAGE = Path.of("..", "docs", "admin.md");
    private static final Pattern CALL =
            Pattern.compile("^```console\\n\\$ (.+?(?:\\\\\\n.+?)*)\\n(.*?)^```$", Pattern.DOTALL | Pattern.MULTILINE);
    private static final Pattern YAML =
            Pattern.compile("^```yaml\\n(rules:\\n.*?)^```$", Pattern.DOTALL | Pattern.MULTILINE);
    private static final String INSTANT = "\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(?:\\.\\d+)?Z";

    @TempDir
    Path folder = Path.of("");

    @Test
    void everyCallPrintsWhatThePageSays() throws Exception {
        String page = Files.readString(PAGE);
        Matcher rules = YAML.matcher(page);
        assertThat(rules.find()).isTrue();
        Path file = Files.writeString(folder.resolve("rules.yaml"), rules.group(1));
        StringBuilder real = new StringBuilder();
        Vertx vertx = Vertx.vertx();
        try (TestAdmin admin = TestAdmin.onFile(file)) {
            HttpServer data = dataPort(vertx, admin);
            Matcher calls = CALL.matcher(page);
            while (calls.find()) {
                String said = run(calls.group(1), data.actualPort(), admin.number());
                calls.appendReplacement(
                        real, Matcher.quoteReplacement("```console\n$ " + calls.group(1) + "\n" + ended(said) + "```"));
            }
            calls.appendTail(real);
        } finally {
            vertx.close().toCompletionStage().toCompletableFuture().join();
        }
        String shown = real.toString().replace(folder + "/", "");
        if (System.getProperty("sluice.docs", "").equals("write")) {
            Files.writeString(PAGE, shown);
        } else {
            assertThat(timeless(shown)).isEqualTo(timeless(page));
        }
        assertThat(CALL.matcher(page).results().map(MatchResult::group)).hasSizeGreaterThan(15);
    }

    /** As much of the other port as the page needs. */
    private static HttpServer dataPort(Vertx vertx, TestAdmin admin) {
        return vertx.createHttpServer()
                .requestHandler(request -> check(request, admin))
                .listen(0, "127.0.0.1")
                .toCompletionStage()
                .toCompletableFuture()
                .join();
    }

    private static void check(HttpServerRequest request, TestAdmin admin) {
        String[] attributes = request.params().entries().stream()
                .flatMap(parameter -> java.util.stream.Stream.of(parameter.getKey(), parameter.getValue()))
                .toArray(String[]::new);
        boolean allowed = admin.check(attributes).allowed();
        request.response().setStatusCode(allowed ? 200 : 429).end();
    }

    private String run(String call, int dataPort, int adminPort) throws IOException, InterruptedException {
        String command = call.replace("localhost:8080", "127.0.0.1:" + dataPort)
                .replace("localhost:8081", "127.0.0.1:" + adminPort);
        Path output = folder.resolve("output");
        Process shell = new ProcessBuilder("sh", "-c", command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        assertThat(shell.waitFor(20, TimeUnit.SECONDS)).as(call).isTrue();
        return Files.readString(output, UTF_8);
    }

    private static String ended(String said) {
        return said.isEmpty() || said.endsWith("\n") ? said : said + "\n";
    }

    private static String timeless(String text) {
        return text.replaceAll(INSTANT, "TIME")
                .replaceAll("(\"(?:retryAfterMs|resetAfterMs|overSeconds)\" ?: ?)\\d+", "$1N")
                .replaceAll(
                        "(\"spans\" ?: ?\\[)[^]]*",
                        "$1N") // by the time of day, five requests are in one span or in two
                .replaceAll("PT[0-9HMS.]+", "PT");
    }
}
