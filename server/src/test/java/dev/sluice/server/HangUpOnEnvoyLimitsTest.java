package dev.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.UInt64Value;
import dev.sluice.redis.servers.Eventually;
import dev.sluice.redis.servers.FaultyProxy;
import dev.sluice.redis.servers.RedisServer;
import dev.sluice.server.envoy.EnvoyFolder;
import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitServiceGrpc;
import io.envoyproxy.envoy.type.v3.RateLimitUnit;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Who hangs up before the response is there takes nothing, also from the limits of files and from limits that descriptors
 * bring along. A server whose Redis answers late is asked, and one beside it says what was counted.
 */
@Tag("full")
@Timeout(120)
class HangUpOnEnvoyLimitsTest {
    private static final Duration SOON = Duration.ofSeconds(20);
    private static final String CONFIG = """
            domain: edge
            descriptors: [{ key: user, rate_limit: { unit: year, requests_per_unit: 10 } }]
            """;
    private static final List<Long> NOTHING_TAKEN = List.of(10L, 7L);

    @TempDir
    private Path folder;

    private RedisServer redis;
    private FaultyProxy proxy;
    private Service slow;
    private Service direct;
    private ManagedChannel channel;
    private ManagedChannel looking;

    @BeforeEach
    void start() throws Exception {
        Files.writeString(folder.resolve("edge.yaml"), CONFIG);
        redis = RedisServer.start();
        proxy = FaultyProxy.to(redis);
        slow = server(proxy.url());
        direct = server(redis.url());
        channel = channel(slow);
        looking = channel(direct);
        assertThat(remaining()).isEqualTo(NOTHING_TAKEN);
        RateLimitServiceGrpc.newBlockingStub(channel).shouldRateLimit(message(0));
        proxy.delay(Duration.ofSeconds(5)); // of each reply, whatever happens to it later
    }

    private Service server(String store) throws Exception {
        return new Service(Service.settings("rules: []")
                .store(store)
                .redis(new ServerSettings.Redis("sluice", Duration.ofMinutes(1)))
                .envoy(EnvoyFolder.open(folder)));
    }

    private static ManagedChannel channel(Service service) {
        return NettyChannelBuilder.forAddress("127.0.0.1", service.port())
                .usePlaintext()
                .build();
    }

    @AfterEach
    void stop() {
        proxy.deliverAll();
        channel.shutdownNow();
        looking.shutdownNow();
        slow.close();
        direct.close();
        proxy.close();
        redis.close();
    }

    /** One descriptor for the file, and one with a limit of its own; without hits they only look. */
    private static RateLimitRequest message(long hits) {
        return RateLimitRequest.newBuilder()
                .setDomain("edge")
                .addDescriptors(descriptor(hits))
                .addDescriptors(descriptor(hits).toBuilder()
                        .setLimit(RateLimitDescriptor.RateLimitOverride.newBuilder()
                                .setUnit(RateLimitUnit.YEAR)
                                .setRequestsPerUnit(7)))
                .build();
    }

    private static RateLimitDescriptor descriptor(long hits) {
        return RateLimitDescriptor.newBuilder()
                .addEntries(
                        RateLimitDescriptor.Entry.newBuilder().setKey("user").setValue("u"))
                .setHitsAddend(UInt64Value.of(hits))
                .build();
    }

    private List<Long> remaining() {
        return RateLimitServiceGrpc.newBlockingStub(looking).shouldRateLimit(message(0)).getStatusesList().stream()
                .map(status -> (long) status.getLimitRemaining())
                .toList();
    }

    private void awaitTaken() {
        Eventually.holds("it is taken", SOON, () -> remaining().equals(List.of(6L, 3L)), () -> "" + remaining());
    }

    private void nothingIsTaken() {
        proxy.delay(Duration.ZERO);
        proxy.deliverAll();
        Eventually.holds("it is taken back", SOON, () -> remaining().equals(NOTHING_TAKEN), () -> "" + remaining());
    }

    @Test
    void json() throws Exception {
        String entries = "'entries': [{'key': 'user', 'value': 'u'}], 'hitsAddend': '4'";
        String body = Service.json("{'domain': 'edge', 'descriptors': [{" + entries + "}, {" + entries
                + ", 'limit': {'requestsPerUnit': 7, 'unit': 'YEAR'}}]}");
        try (Socket socket = slow.connect()) {
            Service.write(
                    socket, "POST /json HTTP/1.1\r\nHost: x\r\nContent-Length: " + body.length() + "\r\n\r\n" + body);
            awaitTaken();
        }
        TimeUnit.MILLISECONDS.sleep(200); // for the hang-up to arrive, which nothing shows
        nothingIsTaken();
    }

    @Test
    void aGrpcCallIsCancelled() throws Exception {
        Future<RateLimitResponse> call =
                RateLimitServiceGrpc.newFutureStub(channel).shouldRateLimit(message(4));
        awaitTaken();
        call.cancel(true);
        TimeUnit.MILLISECONDS.sleep(200); // for the cancellation to arrive, which nothing shows
        nothingIsTaken();
    }

    @Test
    void theDeadlineOfAGrpcCallIsOver() {
        assertThatThrownBy(() -> RateLimitServiceGrpc.newBlockingStub(channel)
                        .withDeadlineAfter(1, TimeUnit.SECONDS)
                        .shouldRateLimit(message(4)))
                .isInstanceOfSatisfying(
                        StatusRuntimeException.class,
                        failure -> assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.DEADLINE_EXCEEDED));
        awaitTaken();
        nothingIsTaken();
    }
}
