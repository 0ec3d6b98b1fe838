package dev.sluice.server;

import dev.sluice.Store;
import dev.sluice.redis.RedisStore;
import dev.sluice.rules.RuleEngine;
import dev.sluice.rules.RuleSet;
import dev.sluice.server.http.BadHead;
import dev.sluice.server.http.Bounds;
import dev.sluice.server.http.DataPort;
import dev.sluice.server.http.GuardedTransport;
import dev.sluice.server.http.Leases;
import dev.sluice.server.http.Problem;
import io.vertx.core.AbstractVerticle;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.file.FileSystemOptions;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import java.net.BindException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * The two ports and their life: one for those who ask, on as many event loops as there are processors; one for those who
 * look after it.
 */
final class SluiceServer implements AutoCloseable {
    private static final Duration TO_START = Duration.ofSeconds(10);
    private static final Duration TO_END = Duration.ofSeconds(5);
    private static final int BACKLOG = 1024;
    private static final int HTTP2_STREAMS = 1000;

    private final Settings settings;
    private final Store store;
    private final RuleEngine engine;
    private final Vertx vertx;
    private final Leases leases;
    private final List<HttpServer> servers = new CopyOnWriteArrayList<>();
    private int port;
    private int adminPort;
    private volatile boolean stopping;

    private SluiceServer(Settings settings) {
        this.settings = settings;
        this.store = store(settings.store());
        this.engine = new RuleEngine(store, settings.rules());
        Crowd crowd = new Crowd(settings.bounds().connections());
        this.vertx = Vertx.builder()
                .with(options())
                .withTransport(new GuardedTransport(settings.bounds(), () -> !stopping, crowd))
                .build();
        this.leases = new Leases(vertx, engine, settings.bounds().leases());
    }

    /**
     * Starts both ports, or neither.
     *
     * @throws IllegalStateException if a port cannot be had, with a line that says which
     * @throws IllegalArgumentException if the store is none
     */
    static SluiceServer start(Settings settings) {
        SluiceServer server = new SluiceServer(settings);
        boolean started = false;
        try {
            Handler<HttpServerRequest> admin = server.admin();
            server.adminPort =
                    server.listen(1, settings.adminHost(), settings.adminPort(), "--admin-port", () -> admin);
            server.port = server.listen(loops(), settings.host(), settings.port(), "--port", server::data);
            started = true;
            return server;
        } finally {
            if (!started) {
                server.end();
            }
        }
    }

    int port() {
        return port;
    }

    int adminPort() {
        return adminPort;
    }

    RuleEngine engine() {
        return engine;
    }

    /** Takes no new connections, lets what is under way come to its end, and then ends. */
    @Override
    public void close() {
        stopping = true;
        long millis = Math.max(1, settings.grace().toMillis());
        List<Future<Void>> shut = servers.stream()
                .map(server -> server.shutdown(millis, TimeUnit.MILLISECONDS))
                .toList();
        try {
            await(Future.join(shut), settings.grace().plus(TO_END));
        } catch (CompletionException e) {
            Log.warn("cut-off", "reason", "requests took longer than " + settings.grace());
        }
        end();
    }

    private void end() {
        try {
            await(vertx.close(), TO_END);
        } catch (CompletionException e) {
            // What could not be closed in time ends with the process.
        }
        store.close();
    }

    // ---- What answers where

    /** Each event loop of the data port has one of its own. */
    private Handler<HttpServerRequest> data() {
        return new DataPort(vertx, engine, leases, settings.bounds(), () -> !stopping, SluiceServer::nowhere);
    }

    private Handler<HttpServerRequest> admin() {
        return new Playground(vertx);
    }

    private static void nowhere(HttpServerRequest request) {
        Problem.send(
                request,
                404,
                "there is nothing at " + request.path()
                        + "; there are /v1/check, /v1/leases/{id}, /nginx, /healthz and /readyz");
    }

    // ---- Listening

    /** Listens on a port with so many event loops; the port, which is another one if any would do. */
    private int listen(int loops, String host, int port, String option, Supplier<Handler<HttpServerRequest>> handlers) {
        int before = servers.size();
        int shared = port == 0 ? -1 - before : port; // negative: any port, but the same one for all event loops
        Supplier<AbstractVerticle> listeners = () -> new AbstractVerticle() {
            @Override
            public void start(Promise<Void> started) {
                HttpServer server = vertx.createHttpServer(httpOptions(settings.bounds()))
                        .invalidRequestHandler(new BadHead(settings.bounds()))
                        .requestHandler(handlers.get());
                server.listen(shared, host)
                        .onSuccess(servers::add)
                        .<Void>mapEmpty()
                        .onComplete(started);
            }
        };
        try {
            await(vertx.deployVerticle(listeners, new DeploymentOptions().setInstances(loops)), TO_START);
        } catch (CompletionException e) {
            String why = e.getCause() instanceof BindException
                    ? "port " + port + " is in use or not allowed; choose another with " + option
                    : "cannot listen on " + host + ", port " + port + " (" + option + "): " + e.getCause();
            throw new IllegalStateException(why, e.getCause());
        }
        return servers.get(before).actualPort();
    }

    private static HttpServerOptions httpOptions(Bounds bounds) {
        HttpServerOptions options = new HttpServerOptions()
                .setAcceptBacklog(BACKLOG)
                .setIdleTimeout((int) bounds.idle().toSeconds())
                .setMaxInitialLineLength(bounds.lineBytes())
                .setMaxHeaderSize(bounds.headerBytes());
        options.getInitialSettings().setMaxConcurrentStreams(HTTP2_STREAMS).setMaxHeaderListSize(bounds.headerBytes());
        return options;
    }

    private static VertxOptions options() {
        return new VertxOptions()
                .setWorkerPoolSize(2)
                .setEventLoopPoolSize(loops())
                .setFileSystemOptions(
                        new FileSystemOptions().setFileCachingEnabled(false).setClassPathResolvingEnabled(false));
    }

    private static int loops() {
        return Runtime.getRuntime().availableProcessors();
    }

    private static Store store(String name) {
        return name.equals(RuleSet.MEMORY)
                ? Store.local()
                : RedisStore.builder().url(name).build();
    }

    private static <T> T await(Future<T> future, Duration most) {
        try {
            return future.toCompletionStage().toCompletableFuture().get(most.toMillis(), TimeUnit.MILLISECONDS);
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
