package dev.sluice.server.envoy;

import com.google.protobuf.InvalidProtocolBufferException;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.grpc.common.GrpcMessageDecoder;
import io.vertx.grpc.common.GrpcMessageEncoder;
import io.vertx.grpc.common.GrpcStatus;
import io.vertx.grpc.common.MessageSizeOverflowException;
import io.vertx.grpc.common.ServiceMethod;
import io.vertx.grpc.common.ServiceName;
import io.vertx.grpc.server.GrpcServer;
import io.vertx.grpc.server.GrpcServerOptions;
import io.vertx.grpc.server.GrpcServerRequest;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Envoy's rate limit service, {@code envoy.service.ratelimit.v3.RateLimitService}, over gRPC. */
public final class RateLimitService {
    /** The longest message, in bytes. */
    public static final int MOST_BYTES = 256 << 10;

    private static final System.Logger LOG = System.getLogger(RateLimitService.class.getName());
    private static final ServiceMethod<Buffer, RateLimitResponse> SHOULD_RATE_LIMIT = ServiceMethod.server(
            ServiceName.create("envoy.service.ratelimit.v3", "RateLimitService"),
            "ShouldRateLimit",
            GrpcMessageEncoder.encoder(),
            GrpcMessageDecoder.IDENTITY);

    private final Limits limits;

    /** A service that decides by {@code limits}. */
    public RateLimitService(EnvoyLimits limits) {
        this((Limits) limits);
    }

    RateLimitService(Limits limits) {
        this.limits = limits;
    }

    /** What a server that this is mounted on should be made with. */
    public static GrpcServerOptions options() {
        return new GrpcServerOptions().setMaxMessageSize(MOST_BYTES);
    }

    /** Makes {@code server} answer the method. */
    public void mount(GrpcServer server) {
        server.callHandler(SHOULD_RATE_LIMIT, this::call);
    }

    /** Decides, or fails with an {@link InvalidRequest}. */
    CompletableFuture<RateLimitResponse> decide(RateLimitRequest request) {
        InvalidRequest.check(request);
        return limits.decide(request);
    }

    private void call(GrpcServerRequest<Buffer, RateLimitResponse> call) {
        Once once = new Once(call);
        call.invalidMessageHandler(invalid -> {
            if (invalid instanceof MessageSizeOverflowException) {
                once.fail(GrpcStatus.RESOURCE_EXHAUSTED, "a message may have " + MOST_BYTES + " bytes");
            } else {
                once.fail(GrpcStatus.INVALID_ARGUMENT, "the message cannot be read");
            }
        });
        call.exceptionHandler(gone -> LOG.log(System.Logger.Level.DEBUG, "a caller went away", gone));
        call.handler(message -> answer(once, message));
        call.endHandler(end -> once.fail(GrpcStatus.INVALID_ARGUMENT, "there was no message"));
    }

    private void answer(Once once, Buffer message) {
        if (once.begun) {
            return;
        }
        once.begun = true;
        try {
            CompletableFuture<RateLimitResponse> decided = decide(RateLimitRequest.parseFrom(message.getBytes()));
            if (decided.isDone()) {
                once.complete(decided.join());
            } else {
                decided.whenComplete(
                        (response, failure) -> once.context.runOnContext(woken -> once.complete(response, failure)));
            }
        } catch (InvalidProtocolBufferException e) {
            once.reply(GrpcStatus.INVALID_ARGUMENT, "not a RateLimitRequest: " + e.getMessage());
        } catch (InvalidRequest e) {
            once.reply(GrpcStatus.INVALID_ARGUMENT, e.reason());
        } catch (RuntimeException e) {
            once.complete(null, e);
        }
    }

    /** One call, which is answered once. */
    private static final class Once {
        private final GrpcServerRequest<Buffer, RateLimitResponse> call;
        private final io.vertx.core.Context context = Vertx.currentContext();
        private boolean begun;

        Once(GrpcServerRequest<Buffer, RateLimitResponse> call) {
            this.call = call;
        }

        /** Refuses a call that no message has begun to be answered for. */
        void fail(GrpcStatus status, String message) {
            if (!begun) {
                begun = true;
                reply(status, message);
            }
        }

        void complete(RateLimitResponse response) {
            call.response().end(response);
        }

        void complete(@Nullable RateLimitResponse response, @Nullable Throwable failure) {
            if (response != null) {
                complete(response);
            } else {
                LOG.log(System.Logger.Level.ERROR, "a rate limit request could not be decided", failure);
                reply(GrpcStatus.INTERNAL, "the request could not be decided");
            }
        }

        void reply(GrpcStatus status, String message) {
            call.response().status(status).statusMessage(message).end();
        }
    }
}
