package dev.sluice.server;

import dev.sluice.ManualClock;
import dev.sluice.MemorySize;
import dev.sluice.OnFailure;
import dev.sluice.Store;
import dev.sluice.StoreBuilder;
import dev.sluice.Ticker;
import dev.sluice.redis.RedisStore;
import dev.sluice.redis.RedisStoreBuilder;
import dev.sluice.rules.RuleSet;
import dev.sluice.rules.engine.RuleEngine;
import dev.sluice.server.admin.AdminAccess;
import dev.sluice.server.admin.AdminOptions;
import dev.sluice.server.admin.AdminPort;
import dev.sluice.server.check.DataPort;
import dev.sluice.server.envoy.EnvoyFolder;
import dev.sluice.server.envoy.EnvoyLimits;
import dev.sluice.server.envoy.GrpcStatuses;
import dev.sluice.server.envoy.RateLimitGrpc;
import dev.sluice.server.envoy.RateLimitJson;
import dev.sluice.server.envoy.RateLimitService;
import dev.sluice.server.history.HistorySettings;
import dev.sluice.server.metrics.Traffic;
import dev.sluice.server.page.BrowserScript;
import dev.sluice.server.page.Demo;
import dev.sluice.server.page.Pages;
import dev.sluice.server.page.Playground;
import dev.sluice.server.record.Recorder;
import dev.sluice.server.record.RecorderSettings;
import dev.sluice.server.ruleset.RuleUpdater;
import dev.sluice.server.tls.PortTls;
import dev.sluice.server.web.BodyBudget;
import dev.sluice.server.web.Bounds;
import dev.sluice.server.web.HttpProblem;
import dev.sluice.server.web.OpenApi;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.internal.VertxInternal;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The service: a store, rules, and two ports. Services and proxies use the data port, operators the admin port.
 *
 * <pre>
 *   --port        /v1/check  /nginx  /v1/holds   ── DataPort
 *                 gRPC  /json                    ── RateLimitGrpc, RateLimitJson
 *                 /sluice.js                     ── BrowserScript
 *   --admin-port  /v1/…  /metrics                ── AdminPort
 *                 /  /rule  /rules  /explain     ── Pages
 *                 /playground                    ── Playground
 *                 /demo/  /sluice.js             ── Demo, BrowserScript
 * </pre>
 */
public final class SluiceServer implements AutoCloseable {
    private final ServerSettings settings;
    private final String storeUrl;
    private final Store store;
    private final RuleEngine engine;
    private final RuleUpdater updater;
    private final Ports ports;
    private final BodyBudget budget;
    private final GrpcStatuses statuses = new GrpcStatuses();
    private final AdminPort admin;
    private final DecisionTimes times;
    private final @Nullable Recorder recorder;
    private final LongAdder notReady = new LongAdder();
    private final AtomicBoolean storeOpen = new AtomicBoolean(true);
    private final @Nullable PortTls dataTls;
    private final @Nullable PortTls adminTls;
    private int port;
    private int adminPort;

    private SluiceServer(
            ServerSettings settings,
            RuleSet rules,
            Store store,
            Ports ports,
            @Nullable PortTls dataTls,
            @Nullable PortTls adminTls,
            @Nullable ManualClock clock) {
        this.settings = settings;
        this.dataTls = dataTls;
        this.adminTls = adminTls;
        this.storeUrl = settings.store() == null ? rules.store() : settings.store();
        this.store = store;
        this.engine = clock == null
                ? new RuleEngine(store, rules)
                : new RuleEngine(store, rules, instants(clock), clock, clock);
        this.recorder = recorder(settings.recorder(), clock);
        this.updater = store instanceof RedisStore
                ? RuleUpdater.shared(
                        engine, settings.rules(), storeUrl, settings.redis().prefix())
                : RuleUpdater.local(engine, settings.rules());
        this.ports = ports;
        this.budget = new BodyBudget(settings.bounds());
        Traffic traffic = new Traffic(
                ports.counters(),
                statuses,
                ports::rejectedConnections,
                notReady::sum,
                budget,
                ports.memory(),
                engine.leases());
        List<PortTls> tls =
                Stream.of(dataTls, adminTls).filter(Objects::nonNull).toList();
        this.admin = new AdminPort(
                ports.vertx(),
                engine,
                updater,
                AdminOptions.of(settings.tokens(), settings.audit(), store, traffic)
                        .storeShown(storeShown())
                        .envoy(settings.envoy())
                        .tls(tls)
                        .recorder(recorder)
                        .history(history())
                        .watchers(tls.isEmpty() ? List.of() : List.of(ports.certificates())),
                pages(new Playground(ports.vertx())));
        this.times = new DecisionTimes(admin, settings.tracer());
    }

    private HistorySettings history() {
        return new HistorySettings(
                settings.availabilityTarget(),
                store instanceof RedisStore ? storeUrl : null,
                settings.redis().prefix());
    }

    private boolean isReady() {
        boolean ready = ports.isReady();
        if (!ready) {
            notReady.increment();
        }
        return ready;
    }

    private static Handler<HttpServerRequest> pages(Playground playground) {
        BrowserScript script = new BrowserScript();
        Demo demo = new Demo();
        Pages pages = new Pages();
        return request -> {
            String path = Objects.requireNonNullElse(request.path(), "/");
            Handler<HttpServerRequest> page =
                    Pages.isAt(path) ? pages : BrowserScript.isAt(path) ? script : Demo.isAt(path) ? demo : playground;
            page.handle(request);
        };
    }

    /**
     * Starts both ports, or neither.
     *
     * @throws IllegalArgumentException if the store's URL is wrong, or other machines could reach the admin port without a
     *     token
     * @throws IllegalStateException if it cannot listen on a port; the message says which
     * @throws dev.sluice.server.tls.TlsException if something is wrong with the files for TLS
     */
    public static SluiceServer start(ServerSettings settings) {
        return start(settings, () -> {});
    }

    /** The same; {@code beforeListening} is called when all is there but the ports. */
    public static SluiceServer start(ServerSettings settings, Runnable beforeListening) {
        return start(settings, beforeListening, null);
    }

    /** A server in whose store, rules and recording time passes as a test says; it is that of a clock since 1970. */
    static SluiceServer start(ServerSettings settings, ManualClock clock) {
        return start(settings, () -> {}, clock);
    }

    private static SluiceServer start(ServerSettings settings, Runnable beforeListening, @Nullable ManualClock clock) {
        AdminAccess.requireSafe(settings.admin().host(), settings.tokens());
        PortTls dataTls = tls("data", settings.data(), settings.bounds());
        PortTls adminTls = tls("admin", settings.admin(), settings.bounds());
        RuleSet rules = settings.rules().rules();
        Ports ports = new Ports(settings.bounds());
        Store store;
        try {
            store = store(
                    settings.store() == null ? rules.store() : settings.store(),
                    settings.memory() == null ? rules.memory() : settings.memory(),
                    settings.redis(),
                    clock,
                    ports);
        } catch (RuntimeException | Error e) {
            ports.close();
            throw e;
        }
        SluiceServer server = new SluiceServer(settings, rules, store, ports, dataTls, adminTls, clock);
        boolean started = false;
        try {
            beforeListening.run();
            server.listen();
            started = true;
            return server;
        } finally {
            if (!started) {
                server.end();
            }
        }
    }

    private static @Nullable PortTls tls(String port, ServerSettings.Address address, Bounds bounds) {
        return address.tls() == null ? null : PortTls.open(port, address.tls(), bounds.requestTimeout());
    }

    private static InstantSource instants(ManualClock clock) {
        return () -> Instant.EPOCH.plus(clock.nanos(), ChronoUnit.NANOS);
    }

    private static @Nullable Recorder recorder(@Nullable RecorderSettings settings, @Nullable ManualClock clock) {
        if (settings == null) {
            return null;
        }
        Ticker ticker = clock == null ? Ticker.system() : clock;
        InstantSource wallClock = clock == null ? InstantSource.system() : instants(clock);
        return new Recorder(settings, ticker, wallClock, Ports.loops());
    }

    private static Store store(
            String url, @Nullable String memory, ServerSettings.Redis redis, @Nullable ManualClock clock, Ports ports) {
        if (url.equals(RuleSet.MEMORY)) {
            StoreBuilder local =
                    clock == null ? Store.builder() : Store.builder().clock(clock);
            return (memory == null ? local : local.maxBytes(MemorySize.parse(memory))).build();
        }
        RedisStoreBuilder shared = RedisStore.builder()
                .url(url)
                .prefix(redis.prefix())
                .timeout(redis.timeout())
                .eventLoops(((VertxInternal) ports.vertx()).nettyEventLoopGroup());
        return (memory == null ? shared : shared.maxBytes(MemorySize.parse(memory))).build();
    }

    private void listen() {
        adminPort = ports.listen(1, settings.admin(), adminTls, "--admin-port", () -> admin);
        RateLimitService service = rateLimits();
        RateLimitGrpc.startWarmUp();
        port = ports.listen(
                Ports.loops(),
                settings.data(),
                dataTls,
                "--port",
                () -> new DataPort(
                        ports.vertx(),
                        engine,
                        settings.bounds(),
                        budget,
                        this::isReady,
                        times,
                        recorder,
                        settings.fields(),
                        others(service)));
    }

    private RateLimitService rateLimits() {
        EnvoyFolder folder = settings.envoy();
        return folder == null
                ? RateLimitService.of(engine, store, OnFailure.LOCAL, admin.rateLimits(), times, recorder)
                : RateLimitService.of(limits(folder), times, recorder);
    }

    /** Handles the requests to the data port that are not for {@link DataPort}. One for each event loop. */
    private Handler<HttpServerRequest> others(RateLimitService service) {
        Duration timeout = settings.bounds().requestTimeout();
        RateLimitGrpc grpc = new RateLimitGrpc(ports.vertx(), service, timeout, budget, statuses, ports::isReady);
        RateLimitJson json = new RateLimitJson(ports.vertx(), service, timeout, budget);
        OpenApi openApi = OpenApi.ofDataPort();
        BrowserScript script = new BrowserScript();
        return request -> {
            if (RateLimitGrpc.isGrpc(request)) {
                grpc.handle(request);
            } else if ("/json".equals(request.path())) {
                json.handle(request);
            } else if (OpenApi.PATH.equals(request.path())) {
                openApi.handle(request);
            } else if (BrowserScript.isAt(String.valueOf(request.path()))) {
                script.handle(request);
            } else {
                HttpProblem.of(
                                404,
                                "there is nothing at " + request.path() + "; there are /v1/check,"
                                        + " /v1/holds/{id}, /nginx, /json, /healthz, /readyz, /openapi.yaml and /sluice.js,"
                                        + " and gRPC for Envoy")
                        .send(request);
            }
        };
    }

    private EnvoyLimits limits(EnvoyFolder folder) {
        EnvoyLimits limits = new EnvoyLimits(store, OnFailure.LOCAL, folder.config());
        limits.listener(admin.rateLimits());
        folder.watch(limits);
        return limits;
    }

    public int port() {
        return port;
    }

    public int adminPort() {
        return adminPort;
    }

    /** The rules in force. */
    public RuleSet rules() {
        return engine.rules();
    }

    /** The URL of the store, without its password. */
    public String storeShown() {
        return storeUrl.replaceFirst("//[^@/]*@", "//***@");
    }

    /**
     * Says on {@code /readyz} and to gRPC health checks that it is going away, and goes on for as long as {@link
     * ServerSettings#drain} says. Then accepts no new connections, finishes the requests under way, and stops.
     */
    @Override
    public void close() {
        ports.drain(settings.drain());
        ports.stop(settings.grace(), this::endWaits);
        end();
    }

    private void endWaits() {
        engine.endWaits();
        if (storeOpen.getAndSet(false)) {
            store.close();
        }
    }

    private void end() {
        if (settings.envoy() != null) {
            settings.envoy().close();
        }
        updater.close();
        admin.close();
        endWaits();
        ports.close(); // last: the store is on their event loops
        if (settings.tracer() != null) {
            settings.tracer().close();
        }
        settings.audit().close();
    }
}
