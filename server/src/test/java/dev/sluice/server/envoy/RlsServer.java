package dev.sluice.server.envoy;

import dev.sluice.server.web.BodyBudget;
import dev.sluice.server.web.Bounds;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitServiceGrpc;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitServiceGrpc.RateLimitServiceBlockingStub;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** A server with the service on a port of its own, and a gRPC client that is connected to it. */
final class RlsServer implements AutoCloseable {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private final Vertx vertx = Vertx.vertx();
    private final HttpServer server;
    private final ManagedChannel channel;

    RlsServer(RateLimitService.Decider decider) throws Exception {
        BodyBudget budget = new BodyBudget(Bounds.DEFAULTS);
        RateLimitService service = new RateLimitService(decider, CallListener.NONE);
        RateLimitJson json = new RateLimitJson(vertx, service, TIMEOUT, budget);
        RateLimitGrpc grpc = new RateLimitGrpc(vertx, service, TIMEOUT, budget, new GrpcStatuses(), () -> true);
        server = vertx.createHttpServer()
                .requestHandler(request -> {
                    if ("/json".equals(request.path())) {
                        json.handle(request);
                    } else {
                        grpc.handle(request);
                    }
                })
                .listen(0, "127.0.0.1")
                .toCompletionStage()
                .toCompletableFuture()
                .get(10, TimeUnit.SECONDS);
        channel = NettyChannelBuilder.forAddress("127.0.0.1", server.actualPort())
                .usePlaintext()
                .build();
    }

    int port() {
        return server.actualPort();
    }

    URI json() {
        return URI.create("http://127.0.0.1:" + port() + "/json");
    }

    ManagedChannel channel() {
        return channel;
    }

    RateLimitServiceBlockingStub client() {
        return RateLimitServiceGrpc.newBlockingStub(channel).withDeadlineAfter(10, TimeUnit.SECONDS);
    }

    @Override
    public void close() {
        channel.shutdownNow();
        vertx.close().toCompletionStage().toCompletableFuture().join();
    }
}
