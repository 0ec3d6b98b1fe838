package dev.sluice.server.envoy;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.sluice.server.web.BodyBudget;
import dev.sluice.server.web.BodyReader;
import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * {@code envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit} over gRPC, and {@code grpc.health.v1.Health/Check}
 * for health checks. One for each event loop.
 *
 * <p>Why no gRPC library is used: a call is one message in and one out, with five bytes of frame each. The gRPC server of
 * Vert.x never answers some bad frames, such as one that is said to be compressed without saying how. Here every frame
 * gets a status.
 */
public final class RateLimitGrpc implements Handler<HttpServerRequest> {
    private static final String SHOULD_RATE_LIMIT = "/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit";
    private static final String HEALTH = "/grpc.health.v1.Health/Check";
    private static final byte[] SERVING = {8, 1};
    private static final byte[] NOT_SERVING = {8, 2};

    private final RateLimitService service;
    private final BodyReader bodies;
    private final BooleanSupplier ready;
    private final GrpcStatuses statuses;

    /**
     * @param service decides the calls
     * @param timeout how long a client may take to send its message
     * @param budget the memory of unfinished bodies
     * @param statuses counts the calls
     * @param ready whether the server takes new requests: what health checks are told
     */
    public RateLimitGrpc(
            Vertx vertx,
            RateLimitService service,
            Duration timeout,
            BodyBudget budget,
            GrpcStatuses statuses,
            BooleanSupplier ready) {
        this.service = service;
        this.bodies = new BodyReader(vertx, GrpcCall.MAX_FRAME_BYTES, timeout, budget);
        this.statuses = statuses;
        this.ready = ready;
    }

    /**
     * Loads the classes of Envoy's messages, on a thread of its own: that takes longer than an Envoy waits for its first
     * response.
     */
    public static void startWarmUp() {
        Thread warmUp = new Thread(RateLimitGrpc::warmUp, "rls-warm-up");
        warmUp.setDaemon(true);
        warmUp.start();
    }

    private static void warmUp() {
        try {
            RateLimitRequest read = RateLimitRequest.parseFrom(RateLimitRequest.newBuilder()
                    .setDomain("warm-up")
                    .addDescriptors(RateLimitDescriptor.newBuilder()
                            .addEntries(RateLimitDescriptor.Entry.newBuilder().setKey("key")))
                    .build()
                    .toByteArray());
            RateLimitJson.print(RateLimitResponses.of(read, List.of(DescriptorResult.NO_LIMIT)));
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException("a message of Envoy could not be read again", e);
        }
    }

    /** Whether a request is a gRPC call, by its content type. */
    public static boolean isGrpc(HttpServerRequest request) {
        String type = request.getHeader("content-type");
        return type != null && type.startsWith("application/grpc");
    }

    @Override
    public void handle(HttpServerRequest request) {
        if (request.version() != HttpVersion.HTTP_2) {
            request.response().setStatusCode(505).end("gRPC needs HTTP/2\n");
        } else if (!request.method().equals(HttpMethod.POST)) {
            request.response().setStatusCode(405).putHeader("allow", "POST").end();
        } else if (!isProto(request.getHeader("content-type"))) {
            request.response().setStatusCode(415).end();
        } else {
            GrpcCall call = new GrpcCall(request, statuses);
            String path = request.path();
            if (SHOULD_RATE_LIMIT.equals(path)) {
                call.read(bodies, message -> decide(call, message));
            } else if (HEALTH.equals(path)) {
                call.read(bodies, message -> call.respond(ready.getAsBoolean() ? SERVING : NOT_SERVING));
            } else {
                call.fail(GrpcCall.Status.UNIMPLEMENTED, "no such method: " + path);
            }
        }
    }

    private static boolean isProto(@Nullable String type) {
        return type != null
                && (type.equals("application/grpc")
                        || type.startsWith("application/grpc+proto")
                        || type.startsWith("application/grpc;"));
    }

    private void decide(GrpcCall call, byte[] message) {
        RateLimitRequest request;
        try {
            request = RateLimitRequest.parseFrom(message);
        } catch (InvalidProtocolBufferException e) {
            call.fail(GrpcCall.Status.INVALID_ARGUMENT, "not a RateLimitRequest: " + e.getMessage());
            return;
        }
        service.answer(call.request(), request, call.deadline(), new RateLimitService.Reply() {
            @Override
            public Future<Void> send(RateLimitResponse response) {
                return call.respond(response);
            }

            @Override
            public void fail(Throwable failure) {
                if (failure instanceof Descriptors.InvalidRequest) {
                    call.fail(GrpcCall.Status.INVALID_ARGUMENT, String.valueOf(failure.getMessage()));
                } else if (failure instanceof CancellationException) {
                    call.fail(GrpcCall.Status.DEADLINE_EXCEEDED, "the deadline of the call is over");
                } else {
                    call.fail(GrpcCall.Status.INTERNAL, "the request could not be decided");
                }
            }
        });
    }
}
