package dev.sluice.bench.server;

import io.vertx.core.AbstractVerticle;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;

/** The least that a server on the same stack can do: two letters, on every event loop. The port is its argument. */
final class VertxHello {
    private VertxHello() {}

    public static void main(String[] args) {
        int port = Integer.parseInt(args[0]);
        int loops = Runtime.getRuntime().availableProcessors();
        Vertx vertx =
                Vertx.vertx(new VertxOptions().setPreferNativeTransport(true).setEventLoopPoolSize(loops));
        Buffer ok = Buffer.buffer("ok");
        vertx.deployVerticle(
                () -> new AbstractVerticle() {
                    @Override
                    public void start(Promise<Void> started) {
                        vertx.createHttpServer()
                                .requestHandler(request -> request.response()
                                        .putHeader(HttpHeaders.CONTENT_TYPE, "text/plain")
                                        .end(ok))
                                .listen(port, "127.0.0.1")
                                .<Void>mapEmpty()
                                .onComplete(started);
                    }
                },
                new DeploymentOptions().setInstances(loops));
    }
}
