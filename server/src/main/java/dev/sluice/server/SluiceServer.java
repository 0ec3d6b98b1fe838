package dev.sluice.server;

import dev.sluice.OnFailure;
import dev.sluice.Store;
import dev.sluice.redis.RedisStore;
import dev.sluice.rules.RuleEngine;
import dev.sluice.rules.RuleSet;
import dev.sluice.rules.file.RuleFile;
import dev.sluice.server.admin.AdminGate;
import dev.sluice.server.admin.AdminOptions;
import dev.sluice.server.admin.AdminPort;
import dev.sluice.server.admin.RuleSource;
import dev.sluice.server.check.DataPort;
import dev.sluice.server.check.HeldPermits;
import dev.sluice.server.envoy.EnvoyFolder;
import dev.sluice.server.envoy.EnvoyLimits;
import dev.sluice.server.envoy.RateLimitGrpc;
import dev.sluice.server.envoy.RateLimitJson;
import dev.sluice.server.envoy.RateLimitService;
import dev.sluice.server.web.HttpProblem;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpServerRequest;
import java.time.Duration;

/**
 * The service: a store, rules over it, and two ports. On one others ask; on the other it is looked after.
 *
 * <pre>
 *   --port        /v1/check  /nginx  /v1/holds   ── DataPort
 *                 gRPC  /json                    ── RateLimitGrpc, RateLimitJson
 *   --admin-port  /v1/…  /metrics                ── AdminPort
 *                 /  (the page)                  ── Playground
 * </pre>
 */
final class SluiceServer implements AutoCloseable {
    private final Settings settings;
    private final String storeUrl;
    private final Store store;
    private final RuleEngine engine;
    private final RuleSource source;
    private final Ports ports;
    private final AdminPort adminDesk;
    private int port;
    private int adminPort;

    private SluiceServer(Settings settings, RuleSet rules, Store store) {
        this.settings = settings;
        this.storeUrl = settings.store() == null ? rules.store() : settings.store();
        this.store = store;
        this.engine = new RuleEngine(store, rules);
        this.source = store instanceof RedisStore
                ? RuleSource.shared(
                        engine, settings.rules(), storeUrl, settings.redis().prefix())
                : RuleSource.local(engine, settings.rules());
        this.ports = new Ports(settings.bounds());
        RedisStore redis = store instanceof RedisStore shared ? shared : null;
        this.adminDesk = new AdminPort(
                ports.vertx(),
                engine,
                source,
                new AdminOptions(settings.tokens(), settings.audit(), redis),
                new Playground(ports.vertx()));
    }

    /**
     * Starts both ports, or neither.
     *
     * @throws dev.sluice.rules.RuleFileException if the rules are not right
     * @throws IllegalArgumentException if the store is none, or others could reach the admin port without a token
     * @throws IllegalStateException if a port cannot be had, with a line that says which
     */
    static SluiceServer start(Settings settings) {
        AdminGate.requireSafe(settings.admin().host(), settings.tokens());
        RuleSet rules = RuleFile.parse(settings.rules().name(), settings.rules().text());
        Store store = store(settings.store() == null ? rules.store() : settings.store(), settings.redis());
        SluiceServer server = new SluiceServer(settings, rules, store);
        boolean started = false;
        try {
            server.listen();
            started = true;
            return server;
        } finally {
            if (!started) {
                server.end();
            }
        }
    }

    private static Store store(String url, Settings.Redis redis) {
        return url.equals(RuleSet.MEMORY)
                ? Store.local()
                : RedisStore.builder()
                        .url(url)
                        .prefix(redis.prefix())
                        .timeout(redis.timeout())
                        .build();
    }

    private void listen() {
        adminPort = ports.listen(1, settings.admin(), "--admin-port", () -> adminDesk);
        HeldPermits held =
                new HeldPermits(ports.vertx(), engine, settings.bounds().holds());
        Handler<HttpServerRequest> others = others();
        port = ports.listen(
                Ports.loops(),
                settings.data(),
                "--port",
                () -> new DataPort(
                        ports.vertx(), engine, held, settings.bounds(), ports::isOpen, adminDesk::took, others));
    }

    /** What comes to the data port and is not for {@link DataPort}. */
    private Handler<HttpServerRequest> others() {
        EnvoyFolder folder = settings.envoy();
        RateLimitService service = folder == null
                ? RateLimitService.of(engine, store, OnFailure.LOCAL)
                : RateLimitService.of(limits(folder));
        Duration timeout = settings.bounds().requestTimeout();
        RateLimitGrpc grpc = new RateLimitGrpc(ports.vertx(), service, timeout);
        RateLimitJson json = new RateLimitJson(ports.vertx(), service, timeout);
        return request -> {
            if (RateLimitGrpc.isGrpc(request)) {
                grpc.handle(request);
            } else if ("/json".equals(request.path())) {
                json.handle(request);
            } else {
                HttpProblem.of(
                                404,
                                "there is nothing at " + request.path() + "; there are /v1/check,"
                                        + " /v1/holds/{id}, /nginx, /json, /healthz and /readyz, and gRPC for Envoy")
                        .send(request);
            }
        };
    }

    private EnvoyLimits limits(EnvoyFolder folder) {
        EnvoyLimits limits = new EnvoyLimits(store, OnFailure.LOCAL, folder.config());
        folder.watch(limits);
        return limits;
    }

    int port() {
        return port;
    }

    int adminPort() {
        return adminPort;
    }

    /** The rules in force. */
    RuleSet rules() {
        return engine.rules();
    }

    /** Where counters are kept, without the password. */
    String storeShown() {
        return storeUrl.replaceFirst("//[^@/]*@", "//***@");
    }

    /** Takes no new connections, lets what is under way come to its end, and then ends. */
    @Override
    public void close() {
        ports.stop(settings.grace());
        end();
    }

    private void end() {
        if (settings.envoy() != null) {
            settings.envoy().close();
        }
        source.close();
        adminDesk.close();
        ports.close();
        store.close();
        settings.audit().close();
    }
}
