package dev.sluice.server.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.redis.servers.Eventually;
import dev.sluice.rules.file.RuleFile;
import dev.sluice.server.ServeProcess;
import io.vertx.core.json.JsonObject;
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MainTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "''                              | sluice: say what to do: serve, check, simulate, replay, suggest or generate; in a checkout also bench, chaos or package; see sluice --help",
                "frobnicate                      | sluice: Unmatched argument at index 0: 'frobnicate'; see sluice --help",
                "simulate --permits ten          | sluice simulate: permits must be a whole number from 1 to 100000, was 'ten'; see",
                "simulate --traffic storm        | sluice simulate: traffic must be one of steady, burst, boundary,",
                "simulate --rate 99999           | sluice simulate: this would be",
                "simulate --slices 3             | sluice simulate: a period of 10000000 microseconds cannot be cut into 3",
                "simulate --colour red           | sluice simulate: Unknown options: '--colour', 'red'; see",
                "simulate --permits              | sluice simulate: Missing required parameter for option '--permits' (N)",
                "serve --port eighty             | sluice serve: Invalid value for option '--port': 'eighty' is not an int",
                "serve --port 65536              | sluice serve: --port must be from 0 to 65535, was 65536",
                "serve --log-format xml          | sluice serve: --log-format must be text or json, was 'xml'; see",
                "serve --grace -1                | sluice serve: --grace must be from 0 to 3600, was -1; see",
                "serve --store-timeout 0         | sluice serve: --store-timeout must be from 1 to 60000, was 0; see",
                "serve --memory lots             | sluice serve: --memory: expected a size such as 256MB or 2GB, or a part of the",
                "serve --memory 101%             | sluice serve: --memory: expected at most 100%, was '101%'; see",
                "serve --max-connections 0       | sluice serve: --max-connections must be from 1 to 1000000, was 0; see",
                "serve --port 0 --admin-port 0 --store mysql://x | sluice serve: ",
                "serve --admin-host 0.0.0.0      | sluice serve: the admin port would listen on 0.0.0.0, where others can",
                "check                           | sluice check: Missing required parameter: 'FILE'; see",
                "serve --port 1 --admin-port 1   | sluice serve: --port and --admin-port must differ, both are 1",
            })
    void aWrongCallIsOneLineAndTwo(String args, String message) {
        assertThat(run(args.split(" ", -1))).isEqualTo(2);
        assertThat(err.toString()).startsWith(message).hasLineCount(1);
        assertThat(out.toString()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "--help,simulate",
        "serve --help,--admin-port",
        "serve --help,/v1/check",
        "check --help,FILE",
        "simulate --help,flash-sale"
    })
    void helpSaysWhatThereIs(String args, String mention) {
        assertThat(run(args.split(" ", -1))).isEqualTo(0);
        assertThat(out.toString()).startsWith("Usage: sluice").contains(mention);
        assertThat(out.toString().lines()).allMatch(line -> line.length() <= 100);
        assertThat(err.toString()).isEmpty();
    }

    /** Each option says what it does, and those that everybody needs come first. */
    @Test
    void helpOfTheServiceBeginsWithTheRules() {
        run("serve", "--help");
        assertThat(out.toString()).containsSubsequence("--rules=", "--store=", "--port=", "--tls-cert=");
        assertThat(out.toString()).doesNotContainPattern("=FILE\\n *\\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"--version", "-V", "serve --version"})
    void theVersionIsTheOneThatIsBuilt(String args) throws Exception {
        String pom = Files.readString(Path.of("pom.xml"));
        String built = pom.substring(pom.indexOf("<version>") + "<version>".length(), pom.indexOf("</version>"));
        assertThat(run(args.split(" ", -1))).isEqualTo(0);
        assertThat(out.toString().lines()).first().isEqualTo("sluice " + built);
        assertThat(out.toString())
                .contains("Java " + Runtime.version().feature())
                .hasLineCount(2);
    }

    @Test
    void simulatePrintsATableAndDrawsAPicture(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("attack.svg");
        assertThat(run("simulate", "--algorithm", "fixed-window-aligned,sliding-log", "--out", file.toString()))
                .isEqualTo(0);
        assertThat(out.toString().lines().map(String::strip))
                .containsExactly(
                        "10 per 10s, boundary traffic: 41 requests in 40s",
                        "algorithm                  allowed   denied    most in any 10s    bound",
                        "fixed-window-aligned            40        1                 20       20",
                        "sliding-log                     21       20                 10       10",
                        "picture: " + file);
        assertThat(Files.readString(file)).startsWith("<svg").contains("20 in 10s: 2 times the limit");
    }

    @Test
    void simulateTakesADurationAsARuleFileHasIt() {
        assertThat(run("simulate", "--per", "1w", "--algorithm", "sliding-log", "--out", "-"))
                .as(err.toString())
                .isEqualTo(0);
        assertThat(out.toString()).contains("10 per 1w, boundary traffic");
    }

    @Test
    void simulateDrawsToStandardOutput() {
        assertThat(run("simulate", "--out", "-")).isEqualTo(0);
        assertThat(out.toString()).startsWith("<svg").endsWith("</svg>\n");
    }

    @Test
    void aPictureThatCannotBeWrittenIsOneLineAndOne(@TempDir Path folder) {
        String file = folder.resolve("no/such/folder.svg").toString();
        assertThat(run("simulate", "--out", file)).isEqualTo(1);
        assertThat(err.toString())
                .isEqualTo("sluice simulate: cannot write the picture to '" + file + "': there is no such folder"
                        + System.lineSeparator());
        assertThat(out.toString()).isEmpty();
    }

    @Test
    void aBusyPortIsOneLineAndOne() throws Exception {
        try (ServerSocket taken = new ServerSocket(0)) {
            String port = Integer.toString(taken.getLocalPort());
            assertThat(run("serve", "--admin-port", "0", "--port", port)).isEqualTo(1);
            assertThat(err.toString())
                    .isEqualTo("sluice serve: port " + port + " is in use; choose another with --port"
                            + System.lineSeparator());
            assertThat(out.toString()).isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "no-such-host.invalid | there is no host 'no-such-host.invalid'; choose an address of this machine with --",
                "203.0.113.1          | this machine has no address 203.0.113.1; choose another with --",
            })
    void aWrongHostIsOneLineAndOne(String host, String message) {
        assertThat(run("serve", "--admin-port", "0", "--port", "0", "--host", host))
                .isEqualTo(1);
        assertThat(err.toString()).isEqualTo("sluice serve: " + message + "host" + System.lineSeparator());
        assertThat(out.toString()).isEmpty();
    }

    /** All of 127.0.0.0/8 is this machine, so an address of it that nobody asked for stands for every other. */
    @Test
    void onlyThisMachineReachesTheDataPortUnlessAskedFor() throws Exception {
        try (ServeProcess server = ServeProcess.start(Map.of())) {
            connect(1, server.port());
            assertThatThrownBy(() -> connect(2, server.port())).isInstanceOf(ConnectException.class);
            assertThat(String.join("\n", server.said())).contains(" host=127.0.0.1 adminHost=127.0.0.1 ");
        }
        try (ServeProcess server = ServeProcess.start(Map.of("SLUICE_HOST", "0.0.0.0"))) {
            connect(2, server.port());
            assertThat(String.join("\n", server.said())).contains(" host=0.0.0.0 ");
        }
    }

    /** To 127.0.0.n. */
    private static void connect(int n, int port) throws IOException {
        new Socket(InetAddress.getByAddress(new byte[] {127, 0, 0, (byte) n}), port).close();
    }

    @Test
    void checkCountsTheRulesOfAGoodFile(@TempDir Path folder) throws Exception {
        Path file = Files.writeString(folder.resolve("good.yaml"), RuleFile.exampleText());
        assertThat(run("check", file.toString())).isEqualTo(0);
        assertThat(out.toString()).isEqualTo(file + ": ok, 4 rules" + System.lineSeparator());
        assertThat(err.toString()).isEmpty();
    }

    @Test
    void checkTakesSeveralFilesAndWarns(@TempDir Path folder) throws Exception {
        Path good = Files.writeString(folder.resolve("good.yaml"), RuleFile.exampleText());
        Path typo = Files.writeString(folder.resolve("typo.yaml"), """
                rules:
                  - { name: a, when: { pth: /x }, key: [uzer], limits: [5 per 1m] }
                  - { name: b, when: { status: 401 }, limits: [5 per 1m] }
                """);
        Path bad = Files.writeString(folder.resolve("bad.yaml"), "rules: 7");
        assertThat(run("check", good.toString(), typo.toString())).isEqualTo(0);
        assertThat(out.toString().lines())
                .containsExactly(
                        good + ": ok, 4 rules",
                        typo + ":2:24: rules[0].when.pth: warning: nothing sets the attribute 'pth' unless a caller"
                                + " sends it; did you mean 'path'?",
                        typo + ":2:41: rules[0].key[0]: warning: nothing sets the attribute 'uzer' unless a caller"
                                + " sends it; did you mean 'user'?",
                        typo + ":3:24: rules[1].when.status: warning: only the filters of Spring know the attribute"
                                + " 'status'; in the server the rule never applies",
                        typo + ": ok, 2 rules, 3 warnings");
        assertThat(run("check", bad.toString(), good.toString())).isEqualTo(1);
        assertThat(out.toString()).endsWith(good + ": ok, 4 rules" + System.lineSeparator());
        assertThat(run("check", "/dev/zero", folder.toString())).isEqualTo(1);
        assertThat(out.toString())
                .contains("/dev/zero: cannot be read: not a regular file")
                .contains(folder + ": cannot be read: not a regular file, but a folder");
    }

    @Test
    void checkSaysEverythingThatIsWrong(@TempDir Path folder) throws Exception {
        Path file = Files.writeString(folder.resolve("bad.yaml"), """
                rules:
                  - name: one
                    limits: [5 per 1x]
                  - name: two
                    limit: [5 per 1s]
                """);
        assertThat(run("check", file.toString())).isEqualTo(1);
        assertThat(out.toString().lines())
                .hasSizeGreaterThan(1)
                .allMatch(line -> line.startsWith(file + ":"))
                .anyMatch(line -> line.startsWith(file + ":3:") && line.contains("1x"))
                .anyMatch(line -> line.startsWith(file + ":5:") && line.contains("limits"));
    }

    @Test
    void aFileThatIsNotThereIsOneLineAndOne() {
        assertThat(run("check", "no-such-file.yaml")).isEqualTo(1);
        assertThat(out.toString()).isEqualTo("no-such-file.yaml: there is no such file" + System.lineSeparator());
        assertThat(run("serve", "--rules", "no-such-file.yaml")).isEqualTo(1);
        assertThat(err.toString())
                .isEqualTo("sluice serve: no-such-file.yaml: there is no such file" + System.lineSeparator());
    }

    /** The line is that of the file, and a file without a token does not open the port to everybody. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "short           | : admin token on line 1: a token has 16 to 512 characters, this one has 5; see",
                "# people        | : there is no token; expected name:token or token on each line; see",
                "''              | : there is no token; expected name:token or token on each line; see",
            })
    void aFileWithoutATokenIsOneLineAndTwo(String text, String message, @TempDir Path folder) throws Exception {
        Path file = Files.writeString(folder.resolve("tokens"), text);
        assertThat(run("serve", "--admin-token-file", file.toString())).isEqualTo(2);
        assertThat(err.toString())
                .startsWith("sluice serve: --admin-token-file " + file + message)
                .hasLineCount(1);
    }

    @Test
    void anAuditLogThatCannotBeWrittenIsOneLineAndOne(@TempDir Path folder) {
        String file = folder.resolve("no/such/audit.log").toString();
        assertThat(run("serve", "--audit-log", file)).isEqualTo(1);
        assertThat(err.toString())
                .isEqualTo("sluice serve: --audit-log cannot be written: java.nio.file.NoSuchFileException: " + file
                        + System.lineSeparator());
    }

    /** Standard output that nobody can write to, such as a file on a full disk. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void aLineOfTheAuditLogThatIsLostIsCounted(@TempDir Path folder) throws Exception {
        Path log = folder.resolve("log");
        Process process = new ProcessBuilder(ServeProcess.command(List.of()))
                .redirectOutput(new File("/dev/full"))
                .redirectError(log.toFile())
                .start();
        try {
            Pattern started = Pattern.compile("event=started .*adminPort=(\\d+)");
            Eventually.holds(
                    "it has started",
                    Duration.ofSeconds(60),
                    () -> started.matcher(read(log)).find());
            Matcher port = started.matcher(Files.readString(log));
            assertThat(port.find()).isTrue();
            String admin = "http://127.0.0.1:" + port.group(1);
            HttpClient http = HttpClient.newHttpClient();
            http.send(
                    HttpRequest.newBuilder(URI.create(admin + "/v1/rules"))
                            .PUT(HttpRequest.BodyPublishers.ofString(RuleFile.exampleText() + "# changed\n"))
                            .build(),
                    BodyHandlers.discarding());
            assertThat(http.send(
                                    HttpRequest.newBuilder(URI.create(admin + "/metrics"))
                                            .build(),
                                    BodyHandlers.ofString())
                            .body())
                    .contains("sluice_audit_failures_total 1.0");
            assertThat(Files.readString(log)).contains("cannot write the audit log");
        } finally {
            process.destroyForcibly().waitFor();
        }
    }

    /** A real process, told to stop as a service manager would. */
    @Test
    void serveSaysWhereToLookAndStopsOnRequest() throws Exception {
        try (ServeProcess server = ServeProcess.start(Map.of())) {
            assertThat(server.stop()).isEqualTo(143);
            assertThat(server.said())
                    .anyMatch(said -> said.matches(
                            "Look at +http://127\\.0\\.0\\.1:\\d+/ +\\(live, rules, explain, playground\\)"))
                    .anyMatch(said -> said.matches("time=\\S+Z level=info event=started port=\\d+ adminPort=\\d+"
                            + " host=127.0.0.1 adminHost=127.0.0.1 rules=4"
                            + " file=example store=memory millis=\\d+"))
                    .anyMatch(said -> said.endsWith("level=info event=stopped"))
                    .anyMatch(said -> said.matches(
                            "Ask +http://127\\.0\\.0\\.1:\\d+/v1/check\\?ip=203\\.0\\.113\\.9&path=/login&method=POST"))
                    .anyMatch(said -> said.matches("Health +http://127\\.0\\.0\\.1:\\d+/healthz"))
                    .last()
                    .isEqualTo("stopped");
        }
    }

    /** A call that is right for the example would match none of another file's rules. */
    @Test
    void serveSaysWhatOtherRulesAreAskedBy(@TempDir Path folder) throws Exception {
        Path rules = Files.writeString(folder.resolve("rules.yaml"), """
                rules:
                  - { name: a, when: { domain: shop, status: 401 }, key: [remote_address], limits: [5 per 1m] }
                  - { name: b, when: { domain: shop }, key: [user], limits: [5 per 1m] }
                """);
        try (ServeProcess server = ServeProcess.start(Map.of(), "--rules", rules.toString())) {
            server.stop();
            assertThat(server.said())
                    .anyMatch(
                            said -> said.matches("Ask +http://\\S+/v1/check\\?remote_address=\\.\\.\\.&domain=\\.\\.\\."
                                    + "&user=\\.\\.\\. +\\(the attributes of your rules\\)"));
        }
        Path limits = Path.of("..", "examples", "envoy", "limits");
        try (ServeProcess server = ServeProcess.start(Map.of(), "--envoy-config", limits.toString())) {
            server.stop();
            assertThat(server.said())
                    .anyMatch(said -> said.matches("Ask +http://\\S+/json, .*descriptors of .*limits"));
        }
    }

    /** All that goes to the log is JSON; what is meant for people goes to standard output as before. */
    @Test
    void theLogAsJson() throws Exception {
        try (ServeProcess server = ServeProcess.start(Map.of("SLUICE_LOG_FORMAT", "json"))) {
            server.stop();
            assertThat(server.said().stream().filter(said -> said.startsWith("{")))
                    .anyMatch(said -> said.contains("\"formattedMessage\":\"started\"") && said.contains("adminPort"))
                    .anyMatch(said -> said.contains("\"formattedMessage\":\"stopped\""))
                    .allSatisfy(said ->
                            assertThat(new JsonObject(said).getString("level")).isNotEmpty());
            assertThat(server.said()).noneMatch(said -> said.contains("event="));
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private int run(String... args) {
        String[] given = args.length == 1 && args[0].isEmpty() ? new String[0] : args;
        return Main.run(new PrintWriter(out, true), new PrintWriter(err, true), given);
    }
}
