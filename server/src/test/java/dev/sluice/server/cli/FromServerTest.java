package dev.sluice.server.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.sluice.rules.Rule;
import dev.sluice.rules.RuleSet;
import dev.sluice.rules.file.RuleFile;
import dev.sluice.server.ServerSettings;
import dev.sluice.server.SluiceServer;
import dev.sluice.server.admin.AdminTokens;
import dev.sluice.server.admin.AuditLog;
import dev.sluice.server.record.RecorderSettings;
import dev.sluice.server.ruleset.InitialRules;
import dev.sluice.simulate.log.LogException;
import dev.sluice.simulate.log.LogOptions;
import dev.sluice.simulate.log.file.LogSource;
import dev.sluice.simulate.suggest.Suggest;
import dev.sluice.simulate.suggest.SuggestOptions;
import dev.sluice.simulate.suggest.Suggestion;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Replay, suggest and proposals from a running server. */
class FromServerTest {
    private static final String RULES = """
            rules:
              # what a person wrote
              - name: everything
                key: [ip]
                limits: [1000 per 1h]
            """;
    private static final String TOKEN = "0123456789abcdef";

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();
    private final HttpClient client = HttpClient.newHttpClient();

    @TempDir
    Path folder = Path.of("");

    private String rules = "";
    private SluiceServer server = start(settings());

    private static ServerSettings settings() {
        return ServerSettings.of(InitialRules.builtIn("rules.yaml", RULES)).recorder(RecorderSettings.of(4 << 20));
    }

    private static SluiceServer start(ServerSettings settings) {
        return SluiceServer.start(settings);
    }

    private void restart(ServerSettings settings) {
        server.close();
        server = start(settings);
    }

    @BeforeEach
    void writeRules() throws IOException {
        rules = file("few.yaml", "rules: [{name: few, key: [ip], limits: [2 per 1h]}]\n");
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private String file(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text).toString();
    }

    private String url() {
        return "http://127.0.0.1:" + server.adminPort();
    }

    private int run(Map<String, String> environment, String... args) {
        out.getBuffer().setLength(0);
        err.getBuffer().setLength(0);
        return Main.run(new PrintWriter(out, true), new PrintWriter(err, true), environment, args);
    }

    private int run(String... args) {
        return run(Map.of(), args);
    }

    private String get(int port, String path) {
        return client.sendAsync(
                        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                                .build(),
                        BodyHandlers.ofString())
                .join()
                .body();
    }

    private void check(String query) {
        get(server.port(), "/v1/check?" + query);
    }

    @Test
    void aReplayOfWhatAServerRecorded() throws IOException {
        for (int i = 0; i < 5; i++) {
            check("ip=10.0.0.1&path=/a&domain=shop");
        }
        check("ip=10.0.0.2&cost=3");
        assertThat(run("replay", "--from", url(), "--rules", rules))
                .as(err.toString())
                .isZero();
        assertThat(out.toString()).contains(url() + " (json): 6 requests", "allowed 2 (33.3 %), denied 4 (66.7 %)");
        assertThat(err.toString()).isEmpty();
        String domain = file("domain.yaml", "rules: [{name: d, when: {domain: shop}, limits: [1 per 1h]}]\n");
        assertThat(run("replay", "--from", url(), "--last", "15m", "--rules", domain))
                .isZero();
        assertThat(out.toString()).contains("matched 5, allowed 1, denied 4");
        String saved = file("saved.json", get(server.adminPort(), "/v1/recording"));
        assertThat(run("replay", saved, "--rules", rules)).isZero();
        assertThat(out.toString()).contains("saved.json (json): 6 requests", "denied 4 (66.7 %)");
        assertThat(run("suggest", "--from", url())).as(err.toString()).isZero();
        assertThat(out.toString()).contains("6 requests of 2 clients", "- name: requests-per-ip");
    }

    @Test
    void severalServersAreOneLog() {
        try (SluiceServer other = start(settings())) {
            check("ip=10.0.0.1");
            get(other.port(), "/v1/check?ip=10.0.0.1");
            check("ip=10.0.0.1");
            String second = "http://127.0.0.1:" + other.adminPort() + "/";
            assertThat(run("replay", "--from", url(), "--from", second, "--rules", rules))
                    .isZero();
            assertThat(out.toString()).contains("3 requests", "denied 1 (33.3 %)");
        }
    }

    @Test
    void whatTheRecordingLacksIsSaid() throws IOException {
        check("ip=10.0.0.1");
        String tenant = file("tenant.yaml", "rules: [{name: t, key: [tenant], limits: [1 per 1h]}]\n");
        assertThat(run("replay", "--from", url(), "--rules", tenant)).isEqualTo(1);
        assertThat(err.toString()).contains("rule 't' asks for 'tenant', which " + url() + " does not have");
        String user = file("user.yaml", "rules: [{name: u, key: [user], limits: [1 per 1h]}]\n");
        assertThat(run("replay", "--from", url(), "--rules", user))
                .as("nobody sent it")
                .isZero();
        String atOnce = file("at-once.yaml", """
                rules:
                  - { name: slots, key: [ip], limits: [1 at once] }
                  - { name: few, key: [ip], limits: [2 per 1h] }
                """);
        assertThat(run("replay", "--from", url(), "--rules", atOnce)).isZero();
        assertThat(err.toString()).contains("rule 'slots' limits how many requests run at once, and is left out");
        assertThat(out.toString()).contains("few: 2 per 1h").doesNotContain("slots");
        restart(settings().recorder(RecorderSettings.of(4 << 20).share(999_999).hashed(List.of("ip"))));
        check("ip=10.0.0.1");
        String network = file("network.yaml", "rules: [{name: n, when: {ip: 10.0.0.0/8}, limits: [1 per 1h]}]\n");
        assertThat(run("replay", "--from", url(), "--rules", network)).isZero();
        assertThat(err.toString())
                .contains("records 99.9999% of the clients", "rule 'n' compares ip, which was recorded as a hash");
    }

    @Test
    void whatIsWrongIsSaidOnOneLine() throws Exception {
        assertThat(wrong(2, "--from", "127.0.0.1:8081"))
                .contains("expected the URL of an admin port", "was '127.0.0.1:8081'");
        assertThat(wrong(2, "--from", url(), "--last", "soon")).contains("--last must be a duration");
        assertThat(wrong(2, "--from", url(), "--from", url())).contains("names a server twice");
        assertThat(wrong(2, "--from", url(), "--map", "a=b")).contains("--format and --map are for logs");
        assertThat(wrong(2, "--from", url(), "a.log")).contains("either logs or --from");
        assertThat(wrong(2, "--last", "5m", "a.log")).contains("--last is for --from");
        assertThat(wrong(2)).contains("name a log, or a server with --from");
        assertThat(wrong(1, "--from", url())).contains("there is no request to replay", url() + " is empty");
        assertThat(wrong(1, "--from", "http://127.0.0.1:" + server.port()))
                .contains("is the data port of a server; name its admin port");
        int closed;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            closed = socket.getLocalPort();
        }
        assertThat(wrong(1, "--from", "http://127.0.0.1:" + closed)).contains("no server listens at");
        restart(settings().recorder(null));
        assertThat(wrong(1, "--from", url()))
                .contains("does not record requests; start that server with --record 64MB");
    }

    private String wrong(int code, String... args) {
        String[] all = Stream.concat(Stream.of("replay", "--rules", rules), Stream.of(args))
                .toArray(String[]::new);
        assertThat(run(all)).as(err.toString()).isEqualTo(code);
        assertThat(err.toString().lines()).hasSize(1);
        return err.toString();
    }

    @Test
    void tokens() throws IOException {
        restart(settings().guarded(AdminTokens.parse("ops:" + TOKEN), AuditLog.to(new ByteArrayOutputStream())));
        check("ip=10.0.0.1");
        assertThat(wrong(1, "--from", url())).contains("wants a token: give it with --admin-token-file FILE or");
        String[] args = {"replay", "--from", url(), "--rules", rules};
        assertThat(run(Map.of("SLUICE_ADMIN_TOKEN", TOKEN), args))
                .as(err.toString())
                .isZero();
        assertThat(run(Map.of("SLUICE_ADMIN_TOKEN", "wrong" + TOKEN), args)).isEqualTo(1);
        assertThat(err.toString()).contains("wants a token, and not this one");
        String tokens = file("tokens", "# for operators\nops:" + TOKEN + "\n");
        assertThat(run("replay", "--from", url(), "--rules", rules, "--admin-token-file", tokens))
                .isZero();
        assertThat(wrong(
                        1,
                        "--from",
                        url(),
                        "--admin-token-file",
                        folder.resolve("none").toString()))
                .contains("cannot be read");
    }

    @Test
    void otherServersAreRecognized() throws IOException {
        HttpServer old = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        String[] body = {"{\"detail\": \"there are /v1/rules and /v1/status\"}"};
        old.createContext("/", exchange -> {
            byte[] bytes = body[0].getBytes(UTF_8);
            exchange.sendResponseHeaders(404, bytes.length);
            exchange.getResponseBody().write(bytes);
            exchange.close();
        });
        old.start();
        try {
            String other = "http://127.0.0.1:" + old.getAddress().getPort();
            assertThat(wrong(1, "--from", other)).contains("is an older server, which cannot record requests");
            body[0] = "<html>";
            assertThat(wrong(1, "--from", other)).contains("is no admin port of Sluice: it answers with status 404");
        } finally {
            old.stop(0);
        }
    }

    // ---- Proposals

    private Instant now = Instant.parse("2026-11-16T10:00:00Z");

    private SuggestWatch watch(Path proposals) throws IOException {
        return watch(proposals, url());
    }

    private SuggestWatch watch(Path proposals, String putTo) throws IOException {
        return new SuggestWatch(
                new ProposalFolder(proposals),
                Duration.ofDays(1),
                this::suggestion,
                List.of(new AdminClient(putTo, null)),
                () -> now,
                new PrintWriter(out, true),
                new PrintWriter(err, true));
    }

    private Suggestion suggestion() throws IOException {
        AdminClient admin = new AdminClient(url(), null);
        LogOptions options = LogOptions.DEFAULT.withStreams(
                Map.of("recording", admin.stream("/v1/recording").body()));
        try (LogSource source = LogSource.open(List.of("recording"), options)) {
            return Suggest.of(source, SuggestOptions.DEFAULT);
        } catch (LogException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    private List<String> files(Path proposals) throws IOException {
        try (Stream<Path> all = Files.list(proposals)) {
            return all.map(each -> each.getFileName().toString()).sorted().toList();
        }
    }

    private RuleSet inForce() {
        return server.rules();
    }

    @Test
    void aProposalIsAFileOfShadowRulesAndInForceAsSuch() throws IOException {
        Path proposals = folder.resolve("proposals");
        List<Rule> before = inForce().rules();
        for (int i = 0; i < 30; i++) {
            check("ip=10.0.0." + i % 3 + "&path=/a");
        }
        assertThat(watch(proposals).next()).isEqualTo(Duration.ofDays(1));
        assertThat(err.toString()).isEmpty();
        assertThat(files(proposals)).containsExactly("proposal-20261116-100000Z.yaml");
        Path file = proposals.resolve("proposal-20261116-100000Z.yaml");
        assertThat(Files.readString(file))
                .startsWith("# Proposed on 2026-11-16T10:00:00Z, from 30 requests of 3 clients");
        assertThat(RuleFile.read(file).rules())
                .extracting(Rule::name)
                .isNotEmpty()
                .allMatch(name -> name.endsWith("-proposed"));
        assertThat(inForce().rules()).containsAll(before).hasSizeGreaterThan(before.size());
        assertThat(get(server.adminPort(), "/v1/rules")).contains("what a person wrote");

        // a restart of the watch changes nothing until the next one is due
        now = now.plus(Duration.ofHours(1));
        assertThat(watch(proposals).next()).isEqualTo(Duration.ofHours(23));
        assertThat(files(proposals)).hasSize(1);

        // the next one replaces what was proposed, and says what that would have done
        Files.writeString(file, "a person's notes");
        for (int i = 0; i < 200; i++) {
            check("ip=10.0.0.1&path=/a");
        }
        now = now.plus(Duration.ofHours(23));
        assertThat(watch(proposals).next()).isEqualTo(Duration.ofDays(1));
        assertThat(files(proposals)).hasSize(2);
        assertThat(Files.readString(file)).isEqualTo("a person's notes");
        assertThat(Files.readString(proposals.resolve("proposal-20261117-100000Z.yaml")))
                .containsPattern("requests-per-ip-proposed would have denied \\d+ of 200 on " + url());
        assertThat(inForce().rules()).containsAll(before);
        assertThat(inForce().rules().stream().filter(rule -> rule.name().equals("requests-per-ip-proposed")))
                .hasSize(1);
    }

    @Test
    void whatAPersonChangedOnTheServerStays() throws IOException {
        Path proposals = folder.resolve("proposals");
        for (int i = 0; i < 30; i++) {
            check("ip=10.0.0.1&path=/a");
        }
        watch(proposals).next();
        AdminClient admin = new AdminClient(url(), null);
        String text = admin.get("/v1/rules", "Accept", "application/yaml").text();
        String edited = text.replaceFirst("on-exceed: shadow", "on-exceed: degrade");
        assertThat(edited).isNotEqualTo(text);
        admin.put("/v1/rules", edited, "Content-Type", "application/yaml");
        now = now.plus(Duration.ofDays(2));
        watch(proposals).next();
        assertThat(err.toString())
                .contains("is not in force on " + url() + ": somebody has changed what was proposed before");
        assertThat(admin.get("/v1/rules", "Accept", "application/yaml").text()).isEqualTo(edited);
        assertThat(files(proposals)).hasSize(2);
    }

    /** What a server has counted is a comment in the proposal, and stays one. */
    @Test
    void theCountsOfAServerAddNoRule() throws IOException {
        HttpServer other = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        other.createContext("/", exchange -> {
            byte[] bytes =
                    "sluice_decisions_total{outcome=\"denied\",rule=\"a\nrules: [{name: b, limits: [1 per 1h]}]\n#-proposed\"} 1\n"
                            .getBytes(UTF_8);
            exchange.sendResponseHeaders(200, bytes.length);
            exchange.getResponseBody().write(bytes);
            exchange.close();
        });
        other.start();
        Path proposals = folder.resolve("proposals");
        check("ip=10.0.0.1&path=/a");
        try {
            watch(proposals, "http://127.0.0.1:" + other.getAddress().getPort()).next();
        } finally {
            other.stop(0);
        }
        Path file = proposals.resolve("proposal-20261116-100000Z.yaml");
        assertThat(RuleFile.read(file).rules())
                .extracting(Rule::name)
                .isNotEmpty()
                .allMatch(name -> name.endsWith("-proposed"));
    }

    @Test
    void aServerThatIsAwayIsTriedAgain() throws IOException {
        Path proposals = folder.resolve("proposals");
        SuggestWatch watch = watch(proposals);
        assertThat(watch.next()).isEqualTo(Duration.ofMinutes(1));
        assertThat(err.toString()).contains("no proposal: ", "the next attempt is in 1m");
        assertThat(files(proposals)).isEmpty();
        check("ip=10.0.0.1");
        assertThat(watch.next()).isEqualTo(Duration.ofDays(1));
        assertThat(files(proposals)).hasSize(1);
    }

    @Test
    void wrongCallsOfWatch() throws IOException {
        assertThat(run("suggest", "a.log", "--every", "1d")).isEqualTo(2);
        assertThat(err.toString()).contains("--every is for --watch FOLDER");
        assertThat(run("suggest", "a.log", "--watch", folder.toString(), "--put"))
                .isEqualTo(2);
        assertThat(err.toString()).contains("--put needs --from");
        assertThat(run("suggest", "-", "--watch", folder.toString())).isEqualTo(2);
        assertThat(err.toString()).contains("standard input can be read once");
        assertThat(run("suggest", "a.log", "--watch", folder.toString(), "--every", "0s"))
                .isEqualTo(2);
        assertThat(err.toString()).contains("--every must be a duration", "was '0s'");
        assertThat(run("suggest", "a.log", "--watch", rules)).isEqualTo(1);
        assertThat(err.toString()).contains("is a file");
    }
}
