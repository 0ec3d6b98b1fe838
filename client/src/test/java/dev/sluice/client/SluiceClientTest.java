package dev.sluice.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.client.CheckResult.Source;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import javax.net.ssl.SSLContext;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The client against a socket that answers as it should, or does anything else. */
@Tag("slow")
@Timeout(60)
class SluiceClientTest {
    private static final Duration TIMEOUT = Duration.ofMillis(300);
    private static final ClientOptions OPTIONS = ClientOptions.defaults().timeout(TIMEOUT);
    /** For what a server answers, however busy the machine is. */
    private static final ClientOptions PATIENT = OPTIONS.timeout(Duration.ofSeconds(30));

    private static final Check CHECK = Check.of("user", "ada");
    private static final String NOT_CALLED = "is not called until it answers a ping";

    /** More than twice the timeout, for a machine that is busy. */
    private static final Duration SLACK = Duration.ofSeconds(10);

    private static void eventually(String what, BooleanSupplier condition) throws InterruptedException {
        long deadline = System.nanoTime() + SLACK.toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as(what).isLessThan(deadline);
            TimeUnit.MILLISECONDS.sleep(5);
        }
    }

    private static void refuses(ThrowingCallable call, String message) {
        assertThatThrownBy(call).isInstanceOf(IllegalArgumentException.class).hasMessage(message);
    }

    @Test
    void theServersAnswerIsTheResult() {
        try (FakeServer server = new FakeServer(FakeServer.reply(200, FakeServer.ALLOWED));
                SluiceClient client = SluiceClient.connect(server.url() + "/limits/", PATIENT.token("t0ken"))) {
            CheckResult allowed = client.check(Map.of("user", "ada"), 2);
            assertThat(allowed.allowed()).isTrue();
            assertThat(allowed.remaining()).isEqualTo(4);
            assertThat(allowed.source()).isEqualTo(Source.SERVER);
            assertThat(server.requests.get(0))
                    .startsWith("POST /limits/v1/check HTTP/1.1\r\n")
                    .contains("Authorization: Bearer t0ken\r\n")
                    .endsWith("{\"attributes\":{\"user\":\"ada\"},\"cost\":2}");
            server.answer(FakeServer.reply(429, FakeServer.DENIED));
            CheckResult denied = client.check(CHECK);
            assertThat(denied.allowed()).isFalse();
            assertThat(denied.retryAfter()).isEqualTo(Duration.ofMillis(1500));
        }
    }

    @Test
    void severalChecksAreOneCall() {
        String both = "[" + FakeServer.ALLOWED + "," + FakeServer.DENIED + "]";
        try (FakeServer server = new FakeServer(FakeServer.reply(200, both));
                SluiceClient client = SluiceClient.connect(server.url(), PATIENT)) {
            assertThat(client.checkAll(List.of(CHECK, CHECK)))
                    .extracting(CheckResult::allowed)
                    .containsExactly(true, false);
            assertThat(client.checkAll(List.of())).isEmpty();
            assertThat(server.requests).hasSize(1);
        }
    }

    @Test
    void permitsAreReleasedOnce() {
        String held = FakeServer.ALLOWED.replace("\"limits\"", "\"hold\":\"Abc-_1\",\"limits\"");
        try (FakeServer server = new FakeServer((request, socket) -> FakeServer.write(
                        socket,
                        request.startsWith("DELETE")
                                ? "HTTP/1.1 204 No Content\r\n\r\n"
                                : FakeServer.http(200, held)));
                SluiceClient client = SluiceClient.connect(server.url(), PATIENT)) {
            Hold hold = client.hold(CHECK);
            assertThat(hold.allowed()).isTrue();
            hold.close();
            assertThat(hold.release().join()).isTrue();
            hold.close();
            assertThat(server.requests).hasSize(2);
            assertThat(server.requests.get(1)).startsWith("DELETE /v1/holds/Abc-_1 HTTP/1.1\r\n");
            server.answer(FakeServer.reply(200, FakeServer.ALLOWED));
            try (Hold nothing = client.holdAsync(CHECK).join()) {
                assertThat(nothing.release().join()).isFalse();
            }
            assertThat(server.requests).hasSize(3);
        }
    }

    @Test
    void aReleaseThatGetsNoAnswerEndsAndThrowsNothing() {
        String held = FakeServer.ALLOWED.replace("\"limits\"", "\"hold\":\"A\",\"limits\"");
        try (FakeServer server = new FakeServer(FakeServer.reply(200, held));
                SluiceClient client = SluiceClient.connect(
                        server.url(), OPTIONS.timeout(Duration.ofSeconds(2)).onFailure(FailurePolicy.THROW))) {
            Hold hold = client.hold(CHECK);
            server.answer(FakeServer.SILENT);
            long start = System.nanoTime();
            hold.close();
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(SLACK);
            assertThat(hold.release().join()).isFalse();
        }
    }

    /** What a server may send in place of an answer; the connection is closed after it. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "\0\1\2\3",
                "garbage\r\n\r\n",
                "HTTP/1.1 200 OK\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{\"allowed\":true",
                "HTTP/1.1 200 OK\r\nContent-Length: nine\r\n\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}",
                "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n",
                "HTTP/1.1 204 No Content\r\n\r\n",
                "HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: upgrade\r\n\r\n",
                "SSH-2.0-OpenSSH_9.2p1\r\n",
                "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n{}",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n{}",
                "HTTP/9.9 200 OK\r\nContent-Length: 2\r\n\r\n{}",
                "HTTP/1.1 999999 OK\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nabcde",
                "\u0016\u0003\u0001\u0002\u0000\u0001\u0000",
            })
    void whateverIsNoAnswerIsDecidedByThePolicy(String bytes) {
        try (FakeServer server = new FakeServer((request, socket) -> {
                    FakeServer.write(socket, bytes);
                    socket.close();
                });
                SluiceClient allow = SluiceClient.connect(server.url(), OPTIONS);
                SluiceClient deny = SluiceClient.connect(server.url(), OPTIONS.onFailure(FailurePolicy.DENY));
                SluiceClient strict = SluiceClient.connect(server.url(), OPTIONS.onFailure(FailurePolicy.THROW))) {
            CheckResult allowed = allow.check(CHECK);
            assertThat(allowed.allowed()).isTrue();
            assertThat(allowed.source()).isEqualTo(Source.FAILURE_POLICY);
            assertThat(allowed.failure()).isNotBlank();
            CheckResult denied = deny.check(CHECK);
            assertThat(denied.allowed()).isFalse();
            assertThat(denied.retryAfter()).isEqualTo(Duration.ofSeconds(1));
            assertThat(deny.checkAll(List.of(CHECK, CHECK))).hasSize(2).noneMatch(CheckResult::allowed);
            assertThatThrownBy(() -> strict.check(CHECK)).isInstanceOf(SluiceUnavailableException.class);
            assertThatThrownBy(() -> strict.checkAsync(CHECK).join())
                    .isInstanceOf(CompletionException.class)
                    .hasCauseInstanceOf(SluiceUnavailableException.class);
        }
    }

    /** Connections that stay open with nothing, or not enough, coming over them. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "HTTP/1.1 200 OK\r\nContent-",
                "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"allowed\":",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{\"all",
            })
    void aServerThatStopsInTheMiddleIsNotWaitedFor(String bytes) throws InterruptedException {
        FakeServer.Answer stops = (request, socket) -> {
            FakeServer.write(socket, bytes);
            FakeServer.SILENT.to(request, socket);
        };
        try (FakeServer server = new FakeServer(stops);
                SluiceClient client = SluiceClient.connect(server.url(), OPTIONS)) {
            long start = System.nanoTime();
            CheckResult result = client.check(CHECK);
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isBetween(TIMEOUT, TIMEOUT.plus(SLACK));
            assertThat(result.source()).isEqualTo(Source.FAILURE_POLICY);
            assertThat(result.failure()).isEqualTo("no reply from " + server.url() + " within 300 ms");
            eventually("the client hangs up, so that the server takes nothing", () -> server.hungUp.get() == 1);
        }
    }

    @Test
    void aBodyWithoutEndIsCutOff() throws InterruptedException {
        String chunk = "10000\r\n" + " ".repeat(65536) + "\r\n";
        try (FakeServer server = new FakeServer((request, socket) -> {
                    FakeServer.write(socket, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
                    while (true) {
                        FakeServer.write(socket, chunk);
                    }
                });
                SluiceClient client = SluiceClient.connect(server.url(), PATIENT)) {
            assertThat(client.check(CHECK).failure()).contains("the reply has more than 65536 bytes");
            eventually("the connection is closed", () -> server.hungUp.get() == 1);
        }
    }

    @Test
    void aByteNowAndThenIsNotAnAnswer() {
        try (FakeServer server = new FakeServer((request, socket) -> {
                    for (char c : FakeServer.http(200, FakeServer.ALLOWED).toCharArray()) {
                        FakeServer.write(socket, String.valueOf(c));
                        pause(20);
                    }
                });
                SluiceClient client = SluiceClient.connect(server.url(), OPTIONS)) {
            assertThat(client.check(CHECK).failure()).endsWith("within 300 ms");
        }
    }

    private static void pause(long millis) throws IOException {
        try {
            TimeUnit.MILLISECONDS.sleep(millis);
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    @Test
    void aDeadServerCostsNothing() throws InterruptedException {
        try (FakeServer server = new FakeServer(FakeServer.SILENT);
                SluiceClient client = SluiceClient.connect(server.url(), OPTIONS)) {
            int sent = 0;
            while (!String.valueOf(client.check(CHECK).failure()).contains(NOT_CALLED)) {
                sent++;
            }
            for (int i = 0; i < 10_000; i++) {
                CompletableFuture<CheckResult> answer = client.checkAsync(CHECK);
                assertThat(answer).as("nobody waits for a dead server").isCompleted();
                assertThat(answer.join().failure()).contains(NOT_CALLED);
            }
            assertThat(checks(server)).isLessThanOrEqualTo(sent);

            server.answer(FakeServer.reply(200, FakeServer.ALLOWED));
            eventually("the server is used again", () -> client.check(CHECK).source() == Source.SERVER);
        }
    }

    private static int checks(FakeServer server) {
        return (int) server.requests.stream()
                .filter(request -> request.startsWith("POST"))
                .count();
    }

    @Test
    void aServerThatAnswersPingsButNoChecksIsAskedRarely() {
        try (FakeServer server = new FakeServer((request, socket) -> {
                    if (request.startsWith("GET /healthz")) {
                        FakeServer.write(socket, FakeServer.http(200, "ok\n"));
                    } else {
                        FakeServer.SILENT.to(request, socket);
                    }
                });
                SluiceClient client = SluiceClient.connect(server.url(), OPTIONS)) {
            long start = System.nanoTime();
            while (checks(server) < 6) {
                client.check(CHECK);
            }
            long pauses = (System.nanoTime() - start) / CircuitBreaker.MIN_PAUSE_NANOS;
            assertThat(checks(server) - CircuitBreaker.FAILURES_TO_OPEN).isLessThanOrEqualTo((int) pauses);
        }
    }

    @Test
    void aServerThatComesBackIsUsedAgain() throws InterruptedException {
        FakeServer first = new FakeServer(FakeServer.reply(200, FakeServer.ALLOWED));
        try (first;
                SluiceClient client = SluiceClient.connect(first.url(), OPTIONS)) {
            eventually("it is used", () -> client.check(CHECK).source() == Source.SERVER);
            first.answer((request, socket) -> socket.close());
            eventually(
                    "the breaker is open",
                    () -> client.check(CHECK).failure() != null
                            && String.valueOf(client.check(CHECK).failure()).contains("ping"));
            first.answer(FakeServer.reply(200, FakeServer.ALLOWED));
            eventually("it is closed", () -> client.check(CHECK).source() == Source.SERVER);
        }
    }

    @Test
    void nothingListensThere() {
        FakeServer server = new FakeServer(FakeServer.SILENT);
        server.close();
        try (SluiceClient client = SluiceClient.connect(server.url(), OPTIONS)) {
            assertThat(client.check(CHECK).failure()).startsWith("no reply from " + server.url() + ": ");
        }
    }

    @Test
    void cancellingHangsUp() throws InterruptedException {
        try (FakeServer server = new FakeServer(FakeServer.SILENT);
                SluiceClient client = SluiceClient.connect(server.url(), PATIENT)) {
            CompletableFuture<CheckResult> check = client.checkAsync(CHECK);
            CompletableFuture<Hold> hold = client.holdAsync(CHECK);
            eventually("both are under way", () -> server.requests.size() == 2);
            check.cancel(true);
            hold.cancel(true);
            eventually("the connections are closed", () -> server.hungUp.get() == 2);
        }
    }

    @Test
    void aRuleThatMakesRequestsWaitGetsTheTime() {
        try (FakeServer server = new FakeServer((request, socket) -> {
                    pause(2 * TIMEOUT.toMillis());
                    FakeServer.write(socket, FakeServer.http(200, FakeServer.ALLOWED));
                });
                SluiceClient client = SluiceClient.connect(server.url(), OPTIONS)) {
            assertThat(client.check(CHECK).source()).isEqualTo(Source.FAILURE_POLICY);
            assertThat(client.check(CHECK.waitUpTo(SLACK)).source()).isEqualTo(Source.SERVER);
        }
    }

    @Test
    void connectionsAreBoundedAndCallsWaitForThem() {
        try (FakeServer server = new FakeServer((request, socket) -> {
                    pause(1);
                    FakeServer.write(socket, FakeServer.http(200, FakeServer.ALLOWED));
                });
                SluiceClient client = SluiceClient.connect(server.url(), PATIENT.maxConnections(4))) {
            List<CompletableFuture<CheckResult>> all = new ArrayList<>();
            for (int i = 0; i < 1_000; i++) {
                all.add(client.checkAsync(CHECK));
            }
            assertThat(all).allMatch(check -> check.join().source() == Source.SERVER);
            assertThat(server.connections.get()).isLessThanOrEqualTo(8); // one may replace another
        }
    }

    @Test
    void callsThatGetNoConnectionEndToo() {
        try (FakeServer server = new FakeServer(FakeServer.SILENT);
                SluiceClient client = SluiceClient.connect(server.url(), OPTIONS.maxConnections(2))) {
            List<CompletableFuture<CheckResult>> all = new ArrayList<>();
            long start = System.nanoTime();
            for (int i = 0; i < 5_000; i++) {
                all.add(client.checkAsync(CHECK));
            }
            assertThat(all).allMatch(check -> check.join().source() == Source.FAILURE_POLICY);
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(TIMEOUT.plus(SLACK));
            assertThat(server.connections.get()).isLessThanOrEqualTo(8);
        }
    }

    /** A continuation that blocks must not keep other calls from ending. */
    @Test
    void aContinuationThatBlocksHoldsUpNobody() {
        try (FakeServer server = new FakeServer(FakeServer.SILENT);
                SluiceClient client = SluiceClient.connect(server.url(), OPTIONS)) {
            CompletableFuture<Void> never = new CompletableFuture<>();
            client.checkAsync(CHECK).thenAccept(result -> never.join());
            assertThat(client.check(CHECK).source()).isEqualTo(Source.FAILURE_POLICY);
            assertThat(new CompletableFuture<Integer>()
                            .completeOnTimeout(7, 10, TimeUnit.MILLISECONDS)
                            .join())
                    .isEqualTo(7);
            never.complete(null);
        }
    }

    /** Many calls that are late at the same moment do not need a thread each. */
    @Test
    void lateCallsDoNotStartThreads() {
        try (FakeServer server = new FakeServer(FakeServer.SILENT);
                SluiceClient client = SluiceClient.connect(server.url(), OPTIONS.maxConnections(2))) {
            AtomicInteger most = new AtomicInteger();
            List<CompletableFuture<Integer>> all = new ArrayList<>();
            for (int i = 0; i < 3_000; i++) {
                all.add(client.checkAsync(CHECK)
                        .thenApply(late -> most.accumulateAndGet(Thread.activeCount(), Math::max)));
            }
            all.forEach(CompletableFuture::join);
            assertThat(most.get()).isLessThan(200);
        }
    }

    @Test
    void anInterruptedThreadGetsThePolicy() {
        try (FakeServer server = new FakeServer(FakeServer.SILENT);
                SluiceClient client = SluiceClient.connect(server.url(), PATIENT)) {
            Thread.currentThread().interrupt();
            assertThat(client.check(CHECK).failure()).isEqualTo("the calling thread was interrupted");
            assertThat(Thread.interrupted()).isTrue();
        }
    }

    @Test
    void aClosedClientSendsNothing() {
        try (FakeServer server = new FakeServer(FakeServer.reply(200, FakeServer.ALLOWED))) {
            SluiceClient client = SluiceClient.connect(server.url(), OPTIONS);
            client.close();
            assertThat(client.check(CHECK).failure()).isEqualTo("the client is closed");
            assertThat(server.requests).isEmpty();
        }
    }

    @Test
    void mistakesAreNamed() throws GeneralSecurityException {
        for (String url : List.of(
                "127.0.0.1:8080",
                "redis://a",
                "http://",
                "http://a b",
                "http://h?x=1",
                "http://h#f",
                "",
                "http://h:99999")) {
            refuses(
                    () -> SluiceClient.connect(url),
                    "the address of a server must look like http://127.0.0.1:8080, was '" + url + "'");
        }
        refuses(
                () -> SluiceClient.connect("http://me:secret@h"),
                "the address of a server must look like http://127.0.0.1:8080, was 'http://***@h'");
        SSLContext ssl = SSLContext.getDefault();
        refuses(
                () -> SluiceClient.connect("http://h", OPTIONS.ssl(ssl)),
                "with ssl the address must begin with https://, was 'http://h'");
        refuses(() -> OPTIONS.timeout(Duration.ZERO), "timeout must be from PT0.001S to PT1M, was PT0S");
        refuses(() -> OPTIONS.timeout(Duration.ofHours(1)), "timeout must be from PT0.001S to PT1M, was PT1H");
        refuses(() -> OPTIONS.maxConnections(0), "maxConnections must be from 1 to 10000, was 0");
        refuses(
                () -> OPTIONS.token("secret\r\nX: y"),
                "a token has visible ASCII characters and no spaces, this one has another, or is empty");
        try (SluiceClient client = SluiceClient.connect("http://127.0.0.1:1", OPTIONS)) {
            refuses(
                    () -> client.checkAll(Collections.nCopies(1001, CHECK)),
                    "one call has at most 1000 checks, these are 1001");
            refuses(
                    () -> client.check(Check.of("q", "王".repeat(400_000))),
                    "a call has at most 1048576 bytes of JSON, this one has 1200032");
        }
    }

    @Test
    void threadsDoNotGrowWithCalls() throws InterruptedException {
        try (FakeServer server = new FakeServer(FakeServer.SILENT);
                SluiceClient client = SluiceClient.connect(server.url(), PATIENT)) {
            List<CompletableFuture<CheckResult>> all = new ArrayList<>();
            for (int i = 0; i < 90; i++) {
                all.add(client.checkAsync(CHECK));
            }
            eventually("all are under way", () -> server.requests.size() == 90);
            long threads = Thread.getAllStackTraces().keySet().stream()
                    .filter(thread -> thread.getName().startsWith("sluice-client"))
                    .count();
            assertThat(threads)
                    .isLessThanOrEqualTo(4L * Math.max(2, Runtime.getRuntime().availableProcessors()));
            all.forEach(check -> check.cancel(true));
        }
    }
}
