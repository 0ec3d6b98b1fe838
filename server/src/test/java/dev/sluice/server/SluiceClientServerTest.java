package dev.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.client.Check;
import dev.sluice.client.CheckResult;
import dev.sluice.client.CheckResult.Source;
import dev.sluice.client.ClientOptions;
import dev.sluice.client.FailurePolicy;
import dev.sluice.client.Hold;
import dev.sluice.client.SluiceClient;
import dev.sluice.redis.servers.Eventually;
import dev.sluice.redis.servers.Signal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The Java client against the real server. */
@Tag("full")
@Timeout(120)
class SluiceClientServerTest {
    private static final String RULES = """
            rules:
              - name: few
                when: { path: /few }
                key: [user]
                limits: [2 per 1h sliding-log]
              - name: reports
                when: { path: /reports }
                key: [user]
                limits: [1 at once]
                on-exceed: wait up to 10s
              - name: exports
                when: { path: /exports }
                limits: [1 at once]
              - name: many
                when: { path: /many }
                limits: [5000 per 1h sliding-log]
              - name: queue
                when: { path: /queue }
                limits: [1 per 1s leaky-bucket capacity=5 queue]
              - name: cheap
                when: { path: /cheap }
                limits: [1 per 1h]
                on-exceed: degrade
            """;
    /** Long, since the machine may be busy: no test waits for it to end unless it says so. */
    private static final ClientOptions PATIENT = ClientOptions.defaults().timeout(Duration.ofSeconds(20));

    private static final Duration SOON = Duration.ofSeconds(30);

    @TempDir
    Path folder = Path.of("");

    private static Check path(String path) {
        return Check.of("path", path);
    }

    @Test
    void aCheckIsDecidedByTheRules() {
        try (Service service = Service.with(RULES);
                SluiceClient client = SluiceClient.connect("http://127.0.0.1:" + service.port(), PATIENT)) {
            CheckResult first = client.check(Map.of("path", "/few", "user", "王 \"&=\u0000\ud83d\ude00"), 1);
            assertThat(first.allowed()).isTrue();
            assertThat(first.rule()).isEqualTo("few");
            assertThat(first.limit()).isEqualTo(2);
            assertThat(first.remaining()).isEqualTo(1);
            assertThat(first.source()).isEqualTo(Source.SERVER);
            assertThat(first.failure()).isNull();
            Check ada = path("/few").with("user", "ada");
            assertThat(client.check(ada.cost(0)).remaining()).isEqualTo(2);
            assertThat(client.checkAsync(ada.cost(2)).join().allowed()).isTrue();
            CheckResult denied = client.check(ada);
            assertThat(denied.allowed()).isFalse();
            assertThat(denied.retryAfter()).isBetween(Duration.ofMinutes(59), Duration.ofHours(1));
            assertThat(denied.never()).isFalse();
            assertThat(client.check(ada.cost(3)).never()).isTrue();
            CheckResult free = client.check(path("/elsewhere"));
            assertThat(free.rule()).isNull();
            assertThat(free.remaining()).isEqualTo(CheckResult.UNLIMITED);
        }
    }

    /** Half of a surrogate pair is another key than the question mark that UTF-8 would make of it. */
    @Test
    void keysThatDifferStayDifferent() {
        try (Service service = Service.with(RULES);
                SluiceClient client = SluiceClient.connect("http://127.0.0.1:" + service.port(), PATIENT)) {
            assertThat(client.check(path("/few").with("user", "?").cost(2)).allowed())
                    .isTrue();
            CheckResult other = client.check(path("/few").with("user", "\ud83d").cost(2));
            assertThat(other.allowed()).as("%s", other).isTrue();
        }
    }

    @Test
    void severalChecksAreDecidedInOrder() {
        try (Service service = Service.with(RULES);
                SluiceClient client = SluiceClient.connect("http://127.0.0.1:" + service.port(), PATIENT)) {
            Check ada = path("/few").with("user", "ada");
            assertThat(client.checkAll(List.of(ada, ada, ada, ada.cost(0))))
                    .extracting(CheckResult::allowed)
                    .containsExactly(true, true, false, true);
            List<Check> most = new ArrayList<>();
            for (int i = 0; i < 1000; i++) {
                most.add(path("/few").with("user", "u" + i));
            }
            assertThat(client.checkAll(most)).hasSize(1000).allMatch(CheckResult::allowed);
        }
    }

    @Test
    void aQueueAndACheaperWayAreTold() {
        try (Service service = Service.with(RULES);
                SluiceClient client = SluiceClient.connect("http://127.0.0.1:" + service.port(), PATIENT)) {
            client.check(path("/queue"));
            assertThat(client.check(path("/queue")).delay()).isBetween(Duration.ofMillis(1), Duration.ofSeconds(1));
            assertThat(client.check(path("/cheap")).degraded()).isFalse();
            assertThat(client.check(path("/cheap")).degraded()).isTrue();
        }
    }

    @Test
    void permitsAreHeldUntilTheHandleIsClosed() {
        try (Service service = Service.with(RULES);
                SluiceClient client = SluiceClient.connect("http://127.0.0.1:" + service.port(), PATIENT)) {
            try (Hold hold = client.hold(path("/exports").lease(Duration.ofHours(1)))) {
                assertThat(hold.allowed()).isTrue();
                try (Hold second = client.hold(path("/exports"))) {
                    assertThat(second.allowed()).isFalse();
                    assertThat(second.result().never()).isTrue();
                }
            }
            Hold again = client.hold(path("/exports"));
            assertThat(again.allowed()).isTrue();
            assertThat(again.release().join()).isTrue();
            assertThat(again.release().join()).isTrue();
            List<CheckResult> both = client.checkAll(List.of(path("/exports"), path("/exports")));
            assertThat(both).extracting(CheckResult::allowed).containsExactly(true, false);
            assertThat(client.holdOf(both.get(0)).release().join()).isTrue();
            assertThat(client.holdOf(both.get(1)).release().join()).isFalse();
        }
    }

    /** The waiter gets the permits when they are released, and one that is cancelled takes none. */
    @Test
    void aRuleCanMakeAClientWait() {
        try (Service service = Service.with(RULES);
                SluiceClient client = SluiceClient.connect(
                        "http://127.0.0.1:" + service.port(), PATIENT.timeout(Duration.ofSeconds(1)))) {
            Check report = path("/reports").with("user", "ada").waitUpTo(Duration.ofSeconds(30));
            Hold first = client.hold(report);
            CompletableFuture<Hold> gone = client.holdAsync(report);
            CompletableFuture<Hold> second = client.holdAsync(report);
            gone.cancel(true);
            assertThat(second).isNotDone();
            first.close();
            try (Hold hold = second.orTimeout(30, TimeUnit.SECONDS).join()) {
                assertThat(hold.allowed()).isTrue();
                assertThat(hold.result().source()).isEqualTo(Source.SERVER);
            }
        }
    }

    @Test
    void whatTheServerRefusesIsSaid() throws IOException {
        try (Service service = Service.with(RULES);
                SluiceClient wrong = SluiceClient.connect("http://127.0.0.1:" + service.port() + "/v2", PATIENT)) {
            CheckResult result = wrong.check(path("/few"));
            assertThat(result.source()).isEqualTo(Source.FAILURE_POLICY);
            assertThat(result.failure()).startsWith("the server answered 404: there is nothing at /v2/v1/check");
        }
    }

    /** All are answered, by the server, and the limit is exact. */
    @Test
    void tenThousandCallsAtOnce() {
        try (Service service = Service.with(RULES);
                SluiceClient client = SluiceClient.connect(
                        "http://127.0.0.1:" + service.port(), PATIENT.timeout(Duration.ofSeconds(60)))) {
            List<CompletableFuture<CheckResult>> all = new ArrayList<>();
            for (int i = 0; i < 10_000; i++) {
                all.add(client.checkAsync(path("/many")));
            }
            List<CheckResult> results =
                    all.stream().map(CompletableFuture::join).toList();
            assertThat(results).allMatch(result -> result.source() == Source.SERVER);
            assertThat(results.stream().filter(CheckResult::allowed).count()).isEqualTo(5000);
        }
    }

    @Test
    void tenThousandCallsAtOnceEndWithinTheTimeout() {
        try (Service service = Service.with(RULES);
                SluiceClient client = SluiceClient.connect("http://127.0.0.1:" + service.port())) {
            List<CompletableFuture<CheckResult>> all = new ArrayList<>();
            for (int i = 0; i < 10_000; i++) {
                all.add(client.checkAsync(path("/many")));
            }
            CompletableFuture.allOf(all.toArray(CompletableFuture[]::new))
                    .orTimeout(SOON.toSeconds(), TimeUnit.SECONDS)
                    .join();
        }
    }

    @Test
    void aServerThatIsKilledAndComesBack() throws Exception {
        ClientOptions quick =
                ClientOptions.defaults().timeout(Duration.ofMillis(500)).onFailure(FailurePolicy.DENY);
        Path rules = Files.writeString(folder.resolve("rules.yaml"), RULES);
        ServeProcess first = ServeProcess.start(Map.of(), "--rules", rules.toString());
        try (first;
                SluiceClient client = SluiceClient.connect("http://127.0.0.1:" + first.port(), quick)) {
            Eventually.holds("it answers", SOON, () -> isByServer(client));
            first.kill();
            Eventually.holds("the policy decides", SOON, () -> !isByServer(client));
            Eventually.holds(
                    "the dead server is not called",
                    SOON,
                    () -> String.valueOf(client.check(path("/few")).failure()).contains("until it answers a ping"));
            long start = System.nanoTime();
            for (int i = 0; i < 1000; i++) {
                assertThat(client.check(path("/few")).allowed()).isFalse();
            }
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(SOON);
            ServerSettings.Address same = new ServerSettings.Address("127.0.0.1", first.port(), null);
            ServerSettings.Address any = new ServerSettings.Address("127.0.0.1", 0, null);
            try (Service second = new Service(Service.settings(RULES).at(same, any))) {
                Eventually.holds("it is used again", SOON, () -> isByServer(client));
                assertThat(second.port()).isEqualTo(first.port());
            }
        }
    }

    @Test
    void aServerThatIsFrozen() throws Exception {
        ClientOptions quick = ClientOptions.defaults().timeout(Duration.ofMillis(500));
        Path rules = Files.writeString(folder.resolve("rules.yaml"), RULES);
        try (ServeProcess server = ServeProcess.start(Map.of(), "--rules", rules.toString());
                SluiceClient client = SluiceClient.connect("http://127.0.0.1:" + server.port(), quick)) {
            Eventually.holds("it answers", SOON, () -> isByServer(client));
            server.send(Signal.STOP);
            try {
                long start = System.nanoTime();
                CheckResult late = client.check(path("/few"));
                assertThat(late.source()).isEqualTo(Source.FAILURE_POLICY);
                assertThat(late.allowed()).isTrue();
                assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(SOON);
                List<CompletableFuture<CheckResult>> all = new ArrayList<>();
                for (int i = 0; i < 500; i++) {
                    all.add(client.checkAsync(path("/few")));
                }
                assertThat(all).allMatch(check -> check.join().source() == Source.FAILURE_POLICY);
            } finally {
                server.send(Signal.CONT);
            }
            Eventually.holds("it is used again", SOON, () -> isByServer(client));
        }
    }

    private static boolean isByServer(SluiceClient client) {
        return client.check(path("/few").cost(0)).source() == Source.SERVER;
    }

    @Test
    void mutualTls() throws Exception {
        Pki pki = new Pki(folder);
        pki.authority("ca");
        pki.issue("server", "ca");
        pki.issue("client", "ca");
        try (ServeProcess server = ServeProcess.start(
                Map.of(),
                "--tls-cert",
                pki.file("server.crt").toString(),
                "--tls-key",
                pki.file("server.key").toString(),
                "--tls-client-ca",
                pki.file("ca.crt").toString())) {
            String url = "https://127.0.0.1:" + server.port();
            try (SluiceClient known = SluiceClient.connect(url, PATIENT.ssl(pki.client("ca", "client")));
                    SluiceClient stranger = SluiceClient.connect(url, PATIENT.ssl(pki.client("ca", null)));
                    SluiceClient distrusting = SluiceClient.connect(url, PATIENT)) {
                assertThat(known.check(Check.of("ip", "203.0.113.9")).source()).isEqualTo(Source.SERVER);
                assertThat(stranger.check(Check.of("ip", "203.0.113.9")).source())
                        .isEqualTo(Source.FAILURE_POLICY);
                assertThat(distrusting.check(Check.of("ip", "203.0.113.9")).source())
                        .isEqualTo(Source.FAILURE_POLICY);
            }
        }
    }
}
