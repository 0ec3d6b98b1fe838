package dev.sluice.server.envoy;

import com.google.protobuf.InvalidProtocolBufferException;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import org.jspecify.annotations.Nullable;

/**
 * {@code envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit} over gRPC, and {@code grpc.health.v1.Health/Check}
 * for those who look first.
 *
 * <p>Why gRPC is spoken here and not by a library: a call is one message in and one out, five bytes of frame each. The
 * gRPC server that comes with Vert.x does not answer a call at all whose frame says that it is compressed and not how,
 * and more such; here every frame gets a status.
 */
public final class RateLimitGrpc implements Handler<HttpServerRequest> {
    private static final System.Logger LOG = System.getLogger(RateLimitGrpc.class.getName());
    private static final String SHOULD_RATE_LIMIT = "/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit";
    private static final String HEALTH = "/grpc.health.v1.Health/Check";
    private static final byte[] SERVING = {8, 1};

    private final RateLimitService service;

    /** The decisions of {@code service}. */
    public RateLimitGrpc(RateLimitService service) {
        this.service = service;
        Thread warmUp = new Thread(WarmUp::run, "rls-warm-up");
        warmUp.setDaemon(true);
        warmUp.start();
    }

    /** Whether a request is for this: it says that it is gRPC. */
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
            GrpcCall call = new GrpcCall(request);
            String path = request.path();
            if (SHOULD_RATE_LIMIT.equals(path)) {
                call.onMessage(message -> decide(call, message));
            } else if (HEALTH.equals(path)) {
                call.onMessage(message -> call.answer(SERVING));
            } else {
                call.refuse(GrpcCall.Status.UNIMPLEMENTED, "no such method: " + path);
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
        RateLimitRequest asked;
        try {
            asked = RateLimitRequest.parseFrom(message);
        } catch (InvalidProtocolBufferException e) {
            call.refuse(GrpcCall.Status.INVALID_ARGUMENT, "not a RateLimitRequest: " + e.getMessage());
            return;
        }
        service.decide(asked, new RateLimitService.Asker() {
            @Override
            public void answer(RateLimitResponse response) {
                call.answer(response);
            }

            @Override
            public void invalid(String reason) {
                call.refuse(GrpcCall.Status.INVALID_ARGUMENT, reason);
            }

            @Override
            public void failed(@Nullable Throwable failure) {
                LOG.log(System.Logger.Level.ERROR, "a rate limit request could not be decided", failure);
                call.refuse(GrpcCall.Status.INTERNAL, "the request could not be decided");
            }
        });
    }
}
