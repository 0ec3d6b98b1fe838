package dev.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.redis.servers.Eventually;
import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitServiceGrpc;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import java.io.IOException;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/** Who hangs up before the response is there takes nothing. */
@Timeout(120)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class HangUpTest {
    private static final String RULES = """
            rules:
              - { name: held, when: { path: /held }, key: [user], limits: [1 at once], on-exceed: wait up to 5m, lease: 2s }
              - { name: free, when: { path: /free }, key: [user], limits: [10 per 1h] }
              - { name: paced, when: { path: /paced }, limits: [1 per 20s leaky-bucket capacity=5 queue] }
              - { name: rls, when: { domain: edge }, key: [user], limits: [1 at once], on-exceed: wait up to 5m, lease: 1h }
              - { name: plain, when: { domain: edge }, key: [free], limits: [10 per 1h] }
            """;
    private static final Duration SOON = Duration.ofSeconds(20);
    private static final int WAITERS = 200;

    private final Service service = Service.with(RULES);
    private final ManagedChannel channel = NettyChannelBuilder.forAddress("127.0.0.1", service.port())
            .usePlaintext()
            .build();

    @AfterAll
    void close() {
        channel.shutdownNow();
        service.close();
    }

    private long free(String query) {
        return Service.object(service.get("/v1/check?cost=0&" + query))
                .getJsonArray("limits")
                .getJsonObject(0)
                .getLong("remaining");
    }

    private String hold(String query) {
        return Service.object(service.get("/v1/check?" + query)).getString("hold");
    }

    private Socket asks(String head, String body) throws IOException {
        Socket socket = service.connect();
        Service.write(socket, head + " HTTP/1.1\r\nHost: x\r\nContent-Length: " + body.length() + "\r\n\r\n" + body);
        return socket;
    }

    /**
     * The hang-up and the permit race each other. If the server learns of the hang-up before it responds, the permit is given
     * back at once; if the response was on its way, no one can know whether it was read, and the lease ends the hold.
     */
    @Test
    void waitersThatHangUpAsTheirPermitsCome() throws Exception {
        for (int i = 0; i < WAITERS; i++) {
            String query = "path=/held&user=race" + i;
            String hold = hold(query);
            Socket waiting = asks("GET /v1/check?" + query, "");
            TimeUnit.MICROSECONDS.sleep(i % 3 == 0 ? 0 : 2000);
            CompletableFuture<Void> release = CompletableFuture.runAsync(() -> service.delete("/v1/holds/" + hold));
            TimeUnit.MICROSECONDS.sleep(i * 37 % 1500);
            waiting.close();
            release.join();
        }
        Eventually.holds("no permit is lost", SOON, () -> lost("race") == 0, () -> lost("race") + " of " + WAITERS);
    }

    private long lost(String users) {
        return IntStream.range(0, WAITERS)
                .filter(i -> free("path=/held&user=" + users + i) == 0)
                .count();
    }

    /** The server knows of the hang-up when it sees that the connection is closed, long before the lease ends. */
    @Test
    void waitersThatHangUpTakeNothing() throws Exception {
        String hold = hold("domain=edge&user=gone");
        for (int i = 0; i < 20; i++) {
            asks("GET /v1/check?domain=edge&user=gone", "").close();
        }
        TimeUnit.SECONDS.sleep(1);
        assertThat(service.delete("/v1/holds/" + hold).statusCode()).isEqualTo(204);
        assertThat(free("domain=edge&user=gone")).isEqualTo(1);
    }

    /** Of a list, also what was decided already. */
    @Test
    void aListOfWhichOneWaits() throws Exception {
        String hold = hold("path=/held&user=list");
        String free = "{'attributes': {'path': '/free', 'user': 'list'}, 'cost': 4}";
        String waits = "{'attributes': {'path': '/held', 'user': 'list'}}";
        Socket waiting = asks("POST /v1/check", Service.json("[" + free + "," + waits + "]"));
        Eventually.holds("the first is taken", SOON, () -> free("path=/free&user=list") == 6);
        waiting.close();
        Eventually.holds("the first is refunded", SOON, () -> free("path=/free&user=list") == 10);
        service.delete("/v1/holds/" + hold);
        Eventually.holds("nothing is held", SOON, () -> free("path=/held&user=list") == 1);
    }

    @Test
    void nginxWhileAQueueDelaysIt() throws Exception {
        String head = "GET /nginx HTTP/1.1\r\nHost: x\r\nX-Original-URI: /paced\r\n\r\n";
        long before = free("path=/paced");
        service.get("/nginx", "X-Original-URI", "/paced");
        long after = free("path=/paced");
        try (Socket waiting = service.connect()) {
            Service.write(waiting, head);
            Eventually.holds("one more is in the queue", SOON, () -> free("path=/paced") < after);
        }
        Eventually.holds("it has left", SOON, () -> free("path=/paced") == after);
        assertThat(before).isGreaterThan(after);
    }

    // ---- Envoy

    private static RateLimitRequest message(String user) {
        return RateLimitRequest.newBuilder()
                .setDomain("edge")
                .addDescriptors(RateLimitDescriptor.newBuilder()
                        .addEntries(RateLimitDescriptor.Entry.newBuilder()
                                .setKey("free")
                                .setValue(user)))
                .addDescriptors(RateLimitDescriptor.newBuilder()
                        .addEntries(RateLimitDescriptor.Entry.newBuilder()
                                .setKey("user")
                                .setValue(user)))
                .build();
    }

    private static String json(String user) {
        return Service.json("{'domain': 'edge', 'descriptors': [{'entries': [{'key': 'free', 'value': '" + user
                + "'}]}, {'entries': [{'key': 'user', 'value': '" + user + "'}]}]}");
    }

    private void nothingIsTaken(String user, String hold) {
        Eventually.holds("refunded", SOON, () -> free("domain=edge&free=" + user) == 10);
        assertThat(service.delete("/v1/holds/" + hold).statusCode()).isEqualTo(204);
        Eventually.holds("nothing is held", SOON, () -> free("domain=edge&user=" + user) == 1);
    }

    @Test
    void json() throws Exception {
        String hold = hold("domain=edge&user=j");
        Socket waiting = asks("POST /json", json("j"));
        Eventually.holds("the first is taken", SOON, () -> free("domain=edge&free=j") == 9);
        waiting.close();
        nothingIsTaken("j", hold);
    }

    @Test
    void aGrpcCallIsCancelled() throws Exception {
        String hold = hold("domain=edge&user=c");
        Future<RateLimitResponse> call =
                RateLimitServiceGrpc.newFutureStub(channel).shouldRateLimit(message("c"));
        Eventually.holds("the first is taken", SOON, () -> free("domain=edge&free=c") == 9);
        call.cancel(true);
        nothingIsTaken("c", hold);
    }

    @Test
    void theDeadlineOfAGrpcCallIsOver() {
        String hold = hold("domain=edge&user=d");
        assertThatThrownBy(() -> RateLimitServiceGrpc.newBlockingStub(channel)
                        .withDeadlineAfter(300, TimeUnit.MILLISECONDS)
                        .shouldRateLimit(message("d")))
                .isInstanceOfSatisfying(
                        StatusRuntimeException.class,
                        failure -> assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.DEADLINE_EXCEEDED));
        nothingIsTaken("d", hold);
    }

    @Test
    void theConnectionOfAGrpcCallIsGone() throws Exception {
        String hold = hold("domain=edge&user=x");
        ManagedChannel other = NettyChannelBuilder.forAddress("127.0.0.1", service.port())
                .usePlaintext()
                .build();
        RateLimitServiceGrpc.newFutureStub(other).shouldRateLimit(message("x"));
        Eventually.holds("the first is taken", SOON, () -> free("domain=edge&free=x") == 9);
        other.shutdownNow();
        nothingIsTaken("x", hold);
    }
}
