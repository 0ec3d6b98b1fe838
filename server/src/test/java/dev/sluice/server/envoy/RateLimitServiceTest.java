package dev.sluice.server.envoy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.protobuf.UInt64Value;
import dev.sluice.OnFailure;
import dev.sluice.Store;
import dev.sluice.server.envoy.file.EnvoyConfig;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitServiceGrpc;
import io.grpc.CallOptions;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The service as a gRPC client on Envoy's own messages sees it. */
final class RateLimitServiceTest {
    private static final String CONFIG = """
            domain: d
            descriptors:
              - key: ip
                rate_limit: { name: per-ip, unit: minute, requests_per_unit: 5 }
              - key: user
                rate_limit: { unit: hour, requests_per_unit: 7 }
              - { key: free, rate_limit: { unlimited: true } }
              - key: pool
                value: one
                quota_mode: true
                rate_limit: { unit: minute, requests_per_unit: 1 }
                metadata: { pool: { name: one, weight: 1.5 }, tags: [a, true, null] }
              - key: pool
                value: two
                quota_mode: true
                rate_limit: { unit: minute, requests_per_unit: 2 }
                metadata: { pool: { name: two, spare: yes } }
            """;

    private final Clock clock = new Clock();
    private RlsServer server;

    @BeforeEach
    void start() throws Exception {
        server = new RlsServer(new EnvoyLimits(
                Store.local(clock), OnFailure.LOCAL, EnvoyConfig.parse(Map.of("d.yaml", CONFIG)), clock::micros));
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void hitsOfTheRequestAndOfTheDescriptor() {
        RateLimitResponse both = ask(request -> request.setHitsAddend(3)
                .addDescriptors(Trace.descriptor("ip=1"))
                .addDescriptors(Trace.descriptor("user=1 x2"))
                .addDescriptors(Trace.descriptor("ip=2 x0")));
        assertThat(Trace.show(both)).isEqualTo("OK: 2/5 MINUTE 60s, 5/7 HOUR 3600s, 5/5 MINUTE 60s");
        RateLimitResponse huge = ask(request ->
                request.addDescriptors(Trace.descriptor("ip=1").toBuilder().setHitsAddend(UInt64Value.of(-1))));
        assertThat(Trace.show(huge)).isEqualTo("OVER_LIMIT: 0/5 MINUTE 60s");
    }

    @Test
    void aLimitOfTheDescriptorsOwn() {
        Trace.check(server, clock, "d", """
                0    | ip=1 x3 @4/HOUR          | OK: 1/4 HOUR 3600s
                0    | ip=1 x2 @4/HOUR          | OVER_LIMIT: 0/4 HOUR 3600s
                0    | ip=1 x0 @9/HOUR          | OK: 4/9 HOUR 3600s
                0    | ip=1                     | OK: 4/5 MINUTE 60s
                0    | unheard=of @1/YEAR       | OK: 0/1 YEAR 31536000s
                0    | unheard=of @0/SECOND     | OVER_LIMIT: 0/0 SECOND 1s
                """);
        assertThat(Trace.show(
                        ask(request -> request.setDomain("unheard").addDescriptors(Trace.descriptor("a=1 @0/DAY")))))
                .isEqualTo("OK: -");
    }

    @Test
    void anUnknownDomainHasNoLimits() {
        assertThat(Trace.show(ask(request -> request.setDomain("unheard").addDescriptors(Trace.descriptor("ip=1")))))
                .isEqualTo("OK: -");
    }

    @Test
    void headersTellOfTheTightestLimit() {
        clock.to("10.5");
        RateLimitResponse within = ask(request -> request.addDescriptors(Trace.descriptor("ip=1"))
                .addDescriptors(Trace.descriptor("user=1"))
                .addDescriptors(Trace.descriptor("free=1")));
        assertThat(headers(within)).isEqualTo("RateLimit-Policy: \"per-ip\";q=5;w=60, RateLimit: \"per-ip\";r=4;t=50");
        RateLimitResponse over = ask(request ->
                request.addDescriptors(Trace.descriptor("ip=1 x2")).addDescriptors(Trace.descriptor("user=1 x9")));
        assertThat(headers(over))
                .isEqualTo(
                        "RateLimit-Policy: \"default\";q=7;w=3600, RateLimit: \"default\";r=0;t=3590, Retry-After: 3590");
        assertThat(headers(ask(request -> request.addDescriptors(Trace.descriptor("free=1")))))
                .isEmpty();
    }

    @Test
    void metadataOfThoseWithinTheirLimit() {
        UnaryOperator<RateLimitRequest.Builder> pools = request ->
                request.addDescriptors(Trace.descriptor("pool=one")).addDescriptors(Trace.descriptor("pool=two"));
        assertThat(metadata(ask(pools)))
                .contains("name: one", "weight: 1.5", "spare: yes")
                .doesNotContain("name: two");
        assertThat(metadata(ask(pools))).contains("name: two").doesNotContain("weight");
        assertThat(ask(pools).getDynamicMetadata().getFieldsMap()).containsOnlyKeys("domain");
    }

    @Test
    void aDescriptorWithoutEntriesHasNoLimit() {
        assertThat(Trace.show(ask(request -> {
                    request.addDescriptorsBuilder();
                    return request.addDescriptors(Trace.descriptor("ip=1"));
                })))
                .isEqualTo("OK: -, 4/5 MINUTE 60s");
    }

    @Test
    void whatIsWrongIsSaid() {
        refused("domain must not be empty", request -> request.setDomain("").addDescriptors(Trace.descriptor("ip=1")));
        refused("descriptors must not be empty", request -> request);
        refused("descriptors must be at most 256, were 257", request -> {
            for (int i = 0; i < 257; i++) {
                request.addDescriptors(Trace.descriptor("ip=1"));
            }
            return request;
        });
        refused("descriptors[1].entries must be at most 64, were 65", request -> {
            request.addDescriptors(Trace.descriptor("ip=1")).addDescriptorsBuilder();
            for (int i = 0; i < 65; i++) {
                request.getDescriptorsBuilder(1).addEntriesBuilder().setKey("a");
            }
            return request;
        });
        refused(
                "descriptors[0].entries[1].key must not be empty",
                request -> request.addDescriptors(Trace.descriptor("a=1,=2")));
        refused(
                "descriptors[0].limit.unit must be one of SECOND, MINUTE, HOUR, DAY, MONTH, YEAR, was UNKNOWN",
                request -> request.addDescriptors(Trace.descriptor("a=1 @1/UNKNOWN")));
        assertThat(Trace.show(ask(request -> request.addDescriptors(Trace.descriptor("ip=1")))))
                .as("the server goes on")
                .isEqualTo("OK: 4/5 MINUTE 60s");
    }

    @Test
    void messagesThatAreNoRequest() {
        Status garbage = status(new byte[] {(byte) 0xff, 1, 2, 3});
        assertThat(garbage.getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
        assertThat(garbage.getDescription()).startsWith("not a RateLimitRequest: ");
        assertThat(status(new byte[] {10, 2, (byte) 0xC3, '('}).getCode())
                .as("not UTF-8")
                .isEqualTo(Status.Code.INVALID_ARGUMENT);
        assertThat(status(new byte[300 << 10]).getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
        assertThat(status(new byte[0]).getDescription()).isEqualTo("domain must not be empty");
        assertThat(Trace.show(ask(request -> request.addDescriptors(Trace.descriptor("ip=1")))))
                .isEqualTo("OK: 4/5 MINUTE 60s");
    }

    @Test
    void compressedMessages() {
        RateLimitRequest request = RateLimitRequest.newBuilder()
                .setDomain("d")
                .addDescriptors(Trace.descriptor("ip=1"))
                .build();
        assertThat(Trace.show(server.client().withCompression("gzip").shouldRateLimit(request)))
                .isEqualTo("OK: 4/5 MINUTE 60s");
    }

    @Test
    void aFailureInsideIsToldAsSuch() throws Exception {
        try (RlsServer broken =
                new RlsServer(request -> CompletableFuture.failedFuture(new IllegalStateException("no")))) {
            StatusRuntimeException failure = catchThrowableOfType(
                    StatusRuntimeException.class,
                    () -> broken.client()
                            .shouldRateLimit(RateLimitRequest.newBuilder()
                                    .setDomain("d")
                                    .addDescriptors(Trace.descriptor("ip=1"))
                                    .build()));
            assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.INTERNAL);
            assertThat(failure.getStatus().getDescription()).isEqualTo("the request could not be decided");
        }
    }

    private void refused(String reason, UnaryOperator<RateLimitRequest.Builder> request) {
        StatusRuntimeException refusal = catchThrowableOfType(StatusRuntimeException.class, () -> ask(request));
        assertThat(refusal.getStatus().getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
        assertThat(refusal.getStatus().getDescription()).isEqualTo(reason);
    }

    private RateLimitResponse ask(UnaryOperator<RateLimitRequest.Builder> request) {
        return server.client()
                .shouldRateLimit(request.apply(RateLimitRequest.newBuilder().setDomain("d"))
                        .build());
    }

    /** What is answered to a message of any bytes. */
    private Status status(byte[] message) {
        MethodDescriptor<byte[], byte[]> method = MethodDescriptor.<byte[], byte[]>newBuilder()
                .setType(MethodDescriptor.MethodType.UNARY)
                .setFullMethodName(
                        RateLimitServiceGrpc.getShouldRateLimitMethod().getFullMethodName())
                .setRequestMarshaller(new Raw())
                .setResponseMarshaller(new Raw())
                .build();
        StatusRuntimeException refusal = catchThrowableOfType(
                StatusRuntimeException.class,
                () -> ClientCalls.blockingUnaryCall(server.channel(), method, CallOptions.DEFAULT, message));
        return Objects.requireNonNull(refusal).getStatus();
    }

    private record Raw() implements MethodDescriptor.Marshaller<byte[]> {
        @Override
        public InputStream stream(byte[] value) {
            return new ByteArrayInputStream(value);
        }

        @Override
        public byte[] parse(InputStream stream) {
            return new byte[0];
        }
    }

    private static String headers(RateLimitResponse response) {
        return response.getResponseHeadersToAddList().stream()
                .map(header -> header.getKey() + ": " + header.getValue())
                .collect(Collectors.joining(", "));
    }

    private static String metadata(RateLimitResponse response) {
        return response.getDynamicMetadata()
                .toString()
                .replace("key: ", "")
                .replaceAll("\"(\\w+)\"\\s*value\\s*\\{\\s*\\w+_value: \"?([\\w.]+)\"?", "$1: $2");
    }
}
