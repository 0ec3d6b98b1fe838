package dev.sluice.server;

import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.file.FileSystemOptions;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.net.BindException;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The two ports: one for everybody, with the health checks; one for this machine alone, with the playground. */
final class SluiceServer implements AutoCloseable {
    private static final String EVERYWHERE = "0.0.0.0";
    private static final String LOOPBACK = "127.0.0.1";
    private static final int STOP_SECONDS = 5;

    private final Vertx vertx;
    private final HttpServer data;
    private final HttpServer admin;

    private SluiceServer(Vertx vertx, HttpServer data, HttpServer admin) {
        this.vertx = vertx;
        this.data = data;
        this.admin = admin;
    }

    /**
     * Starts both, or neither.
     *
     * @throws IllegalStateException if a port cannot be had, with a line that says which
     */
    static SluiceServer start(int port, int adminPort) {
        Vertx vertx = Vertx.vertx(new VertxOptions()
                .setWorkerPoolSize(2)
                .setFileSystemOptions(
                        new FileSystemOptions().setFileCachingEnabled(false).setClassPathResolvingEnabled(false)));
        boolean started = false;
        try {
            HttpServer admin = listen(vertx, new Playground(vertx), adminPort, LOOPBACK, "--admin-port");
            HttpServer data = listen(vertx, SluiceServer::health, port, EVERYWHERE, "--port");
            started = true;
            return new SluiceServer(vertx, data, admin);
        } finally {
            if (!started) {
                close(vertx);
            }
        }
    }

    int port() {
        return data.actualPort();
    }

    int adminPort() {
        return admin.actualPort();
    }

    @Override
    public void close() {
        close(vertx);
    }

    /** The server listens only once both ports do, so to answer at all is to be ready. */
    private static void health(HttpServerRequest request) {
        switch (Objects.requireNonNullElse(request.path(), "/")) {
            case "/healthz" -> answer(request, "ok\n");
            case "/readyz" -> answer(request, "ready\n");
            default -> refuse(request, 404, "no such page: " + request.path());
        }
    }

    private static void answer(HttpServerRequest request, String text) {
        if (onlyReads(request)) {
            plain(request.response()).end(text);
        }
    }

    /** Whether the request is a GET or HEAD; any other has been refused. */
    static boolean onlyReads(HttpServerRequest request) {
        if (request.method().equals(HttpMethod.GET) || request.method().equals(HttpMethod.HEAD)) {
            return true;
        }
        request.response().putHeader("Allow", "GET, HEAD");
        refuse(request, 405, "only GET and HEAD here, was " + request.method());
        return false;
    }

    static void refuse(HttpServerRequest request, int status, String line) {
        plain(request.response().setStatusCode(status)).end(line + "\n");
    }

    private static HttpServerResponse plain(HttpServerResponse response) {
        return response.putHeader("Content-Type", "text/plain; charset=utf-8")
                .putHeader("X-Content-Type-Options", "nosniff")
                .putHeader("Cache-Control", "no-store");
    }

    private static HttpServer listen(
            Vertx vertx, Handler<HttpServerRequest> handler, int port, String host, String option) {
        HttpServerOptions options = new HttpServerOptions().setIdleTimeout(60).setHandle100ContinueAutomatically(true);
        try {
            return await(vertx.createHttpServer(options).requestHandler(handler).listen(port, host));
        } catch (CompletionException e) {
            String why = e.getCause() instanceof BindException
                    ? "port " + port + " is in use or not allowed; choose another with " + option
                    : "cannot listen on port " + port + " (" + option + "): " + e.getCause();
            throw new IllegalStateException(why, e.getCause());
        }
    }

    private static void close(Vertx vertx) {
        try {
            await(vertx.close());
        } catch (CompletionException e) {
            // What could not be closed in time ends with the process.
        }
    }

    private static <T> T await(Future<T> future) {
        try {
            return future.toCompletionStage().toCompletableFuture().get(STOP_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw new CompletionException(e.getCause());
        } catch (TimeoutException e) {
            throw new CompletionException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CompletionException(e);
        }
    }
}
