package dev.sluice.server;

import dev.sluice.rules.watch.Watcher;
import dev.sluice.server.log.ServerLog;
import dev.sluice.server.tls.PortTls;
import dev.sluice.server.web.Bounds;
import dev.sluice.server.web.ConnectionDrain;
import dev.sluice.server.web.ConnectionMemory;
import dev.sluice.server.web.DirectRequests;
import dev.sluice.server.web.HalfOpenStreams;
import dev.sluice.server.web.HttpCounters;
import dev.sluice.server.web.InvalidHeadHandler;
import dev.sluice.server.web.LimitedTransport;
import dev.sluice.server.web.PortHandler;
import io.vertx.core.AbstractVerticle;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.file.FileSystemOptions;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.metrics.MetricsOptions;
import io.vertx.core.net.ServerSSLOptions;
import java.net.BindException;
import java.net.UnknownHostException;
import java.nio.channels.UnresolvedAddressException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The ports that the server listens on, and the event loops that they share. */
final class Ports implements AutoCloseable {
    private static final Duration TO_START = Duration.ofSeconds(10);
    private static final Duration TO_END = Duration.ofSeconds(5);
    private static final Duration TO_ANSWER = Duration.ofSeconds(1);
    private static final int BACKLOG = 1024;
    private static final int HTTP2_STREAMS = 1000;

    static {
        setDefault("vertx.disableWebsockets", "true"); // or Vert.x looks for one in every request
        setDefault("io.netty.jfr.enabled", "false"); // or a start takes a tenth longer
    }

    private final Bounds bounds;
    private final Vertx vertx;
    private final List<HttpServer> servers = new CopyOnWriteArrayList<>();
    private final ConnectionDrain drain = new ConnectionDrain();
    private final HttpCounters counters = new HttpCounters();
    private final RejectionLog rejections;
    private final ConnectionMemory memory;
    private final Watcher certificates = new Watcher("tls");
    private volatile boolean stopping;

    Ports(Bounds bounds) {
        this.bounds = bounds;
        this.rejections = new RejectionLog(bounds.connections());
        this.memory = new ConnectionMemory(bounds);
        this.vertx = Vertx.builder()
                .with(new VertxOptions()
                        .setWorkerPoolSize(2)
                        .setDisableTCCL(true) // one class loader has all classes: no need to set it for every request
                        .setMetricsOptions(new MetricsOptions().setEnabled(true))
                        .setEventLoopPoolSize(loops())
                        .setFileSystemOptions(new FileSystemOptions()
                                .setFileCachingEnabled(false)
                                .setClassPathResolvingEnabled(false)))
                .withMetrics(counters)
                .withTransport(new LimitedTransport(bounds, () -> !stopping, rejections, memory))
                .build();
        vertx.exceptionHandler(OutOfMemory::endProcessOn);
    }

    private static void setDefault(String property, String value) {
        if (System.getProperty(property) == null) {
            System.setProperty(property, value);
        }
    }

    /** The number of event loops: one for each processor. */
    static int loops() {
        return Runtime.getRuntime().availableProcessors();
    }

    Vertx vertx() {
        return vertx;
    }

    /** Watches the files of certificates. */
    Watcher certificates() {
        return certificates;
    }

    /** Whether new requests should come here: not once the server is about to stop. */
    boolean isReady() {
        return !drain.isDraining() && !stopping;
    }

    /** Counts what passes through the ports. */
    HttpCounters counters() {
        return counters;
    }

    /** How many connections were closed at once, because there were too many. */
    long rejectedConnections() {
        return rejections.count();
    }

    /** Bounds the memory of the connections of all ports. */
    ConnectionMemory memory() {
        return memory;
    }

    /**
     * Listens with {@code loops} event loops, each with a handler of its own.
     *
     * @param tls the certificates; null without TLS
     * @param option the option that chooses the port, for the message
     * @return the port, also if a free one was asked for
     * @throws IllegalStateException if it cannot listen; the message names the port and the option
     */
    int listen(
            int loops,
            ServerSettings.Address address,
            @Nullable PortTls tls,
            String option,
            Supplier<PortHandler> handlers) {
        HttpCounters.Port counted = counters.next(option.equals("--admin-port") ? "admin" : "data");
        int before = servers.size();
        int port =
                address.port() == 0 ? -1 - before : address.port(); // negative: any, but the same for all event loops
        Supplier<AbstractVerticle> listeners = () -> new AbstractVerticle() {
            @Override
            public void start(Promise<Void> started) {
                PortHandler handler = handlers.get();
                DirectRequests.Port direct = new DirectRequests.Port(handler, drain, counted);
                HttpServer server = vertx.createHttpServer(options(bounds, tls))
                        .invalidRequestHandler(new InvalidHeadHandler(bounds))
                        .connectionHandler(connection -> {
                            drain.opened(connection);
                            direct.opened(connection);
                        })
                        .requestHandler(drain.around(handler, new HalfOpenStreams(vertx, handler)));
                server.listen(port, address.host())
                        .onSuccess(servers::add)
                        .<Void>mapEmpty()
                        .onComplete(started);
            }
        };
        try {
            await(vertx.deployVerticle(listeners, new DeploymentOptions().setInstances(loops)), TO_START);
        } catch (CompletionException e) {
            Throwable cause = Objects.requireNonNullElse(e.getCause(), e);
            throw new IllegalStateException(why(address, option, cause), cause);
        }
        if (tls != null) {
            List<HttpServer> those = List.copyOf(servers.subList(before, servers.size()));
            tls.watch(certificates, options -> update(those, options));
        }
        return servers.get(before).actualPort();
    }

    /** Uses other certificates for new connections; those that are open keep theirs. */
    private static void update(List<HttpServer> servers, ServerSSLOptions options) {
        for (HttpServer server : servers) {
            await(server.updateSSLOptions(options, true), TO_START);
        }
    }

    private static String why(ServerSettings.Address address, String option, Throwable cause) {
        String message = String.valueOf(cause.getMessage());
        String hostOption = option.replace("port", "host");
        if (cause instanceof UnknownHostException || cause instanceof UnresolvedAddressException) {
            return "there is no host '" + address.host() + "'; choose an address of this machine with " + hostOption;
        }
        if (message.contains("assign requested address")) {
            return "this machine has no address " + address.host() + "; choose another with " + hostOption;
        }
        if (message.contains("ermission denied")) {
            return "port " + address.port() + " is not allowed for this user; choose another with " + option;
        }
        return cause instanceof BindException || message.startsWith("bind(")
                ? "port " + address.port() + " is in use; choose another with " + option
                : "cannot listen on " + address.host() + ", port " + address.port() + " (" + option + "): " + cause;
    }

    private static HttpServerOptions options(Bounds bounds, @Nullable PortTls tls) {
        HttpServerOptions options = new HttpServerOptions()
                .setAcceptBacklog(BACKLOG)
                .setMaxInitialLineLength(bounds.request().lineBytes())
                .setMaxHeaderSize(bounds.request().headerBytes());
        options.getInitialSettings()
                .setMaxConcurrentStreams(HTTP2_STREAMS)
                .setMaxHeaderListSize(bounds.request().headerBytes());
        if (tls != null) {
            tls.apply(options);
        }
        return options;
    }

    /**
     * Is not ready any more, makes clients move, and goes on with everything else for this time: a balancer needs it to
     * notice, and until then sends new connections.
     */
    void drain(Duration time) {
        drain.begin();
        if (time.isZero() || servers.isEmpty()) {
            return;
        }
        try {
            TimeUnit.MILLISECONDS.sleep(time.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Accepts no new connections, and waits for the requests under way, for at most {@code grace}. After that {@code endWaits}
     * is called, so that those who still wait for permits are denied and not cut off.
     */
    void stop(Duration grace, Runnable endWaits) {
        stopping = true;
        long millis = grace.plus(TO_ANSWER).toMillis();
        CompletableFuture.delayedExecutor(grace.toMillis(), TimeUnit.MILLISECONDS)
                .execute(endWaits);
        List<Future<Void>> shut = servers.stream()
                .map(server -> server.shutdown(millis, TimeUnit.MILLISECONDS))
                .toList();
        try {
            await(Future.join(shut), grace.plus(TO_ANSWER).plus(TO_END));
        } catch (CompletionException e) {
            ServerLog.events()
                    .atWarn()
                    .addKeyValue("reason", "requests took longer than " + grace)
                    .log("cut-off");
        }
    }

    @Override
    public void close() {
        certificates.close();
        try {
            await(vertx.close(), TO_END);
        } catch (CompletionException e) {
            // The process ends soon, and with it whatever could not be closed in time.
        }
    }

    private static <T> T await(Future<T> future, Duration max) {
        try {
            return future.toCompletionStage().toCompletableFuture().get(max.toMillis(), TimeUnit.MILLISECONDS);
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
