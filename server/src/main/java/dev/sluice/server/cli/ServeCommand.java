package dev.sluice.server.cli;

import dev.sluice.MemorySize;
import dev.sluice.rules.Rule;
import dev.sluice.rules.StatusConditions;
import dev.sluice.server.ServerSettings;
import dev.sluice.server.ServerSettings.Address;
import dev.sluice.server.SluiceServer;
import dev.sluice.server.WarmUp;
import dev.sluice.server.admin.AdminTokens;
import dev.sluice.server.admin.AuditLog;
import dev.sluice.server.check.HeaderFields;
import dev.sluice.server.envoy.EnvoyFolder;
import dev.sluice.server.envoy.file.EnvoyConfigException;
import dev.sluice.server.log.LogFormat;
import dev.sluice.server.log.ServerLog;
import dev.sluice.server.ruleset.InitialRules;
import dev.sluice.server.tls.TlsFiles;
import dev.sluice.server.trace.CheckTracer;
import dev.sluice.server.trace.Tracing;
import dev.sluice.server.web.Bounds;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Runs the service until the process is told to stop. */
@Command(
        name = ServeCommand.NAME,
        abbreviateSynopsis = true,
        sortOptions = false,
        description = {
            "Runs the service, which decides by the rules in a file whether a request is allowed."
                    + " Runs until Ctrl-C or SIGTERM, then finishes the requests under way.",
            ""
        },
        footer = {
            "",
            "Data port (for your services and proxies, not for the internet):",
            "  GET  /v1/check?ip=203.0.113.9&path=/login&method=POST    200 or 429, with RateLimit headers",
            "  POST /v1/check {\"attributes\": {\"ip\": \"203.0.113.9\"}, \"cost\": 1}    the same; or a list of them",
            "  DELETE /v1/holds/{id}         releases what a concurrency limit granted",
            "  GET  /nginx                   for nginx's auth_request: 204 or 403",
            "  gRPC, POST /json              for Envoy: its rate limit service, version 3",
            "  GET  /healthz, /readyz        whether it is alive, and whether it takes requests",
            "Admin port (for operators and Prometheus):",
            "  GET  /                        a page that shows what a limit does to traffic",
            "  GET, PUT /v1/rules            the rules in force; further /v1/explain, /v1/keys, /v1/events, /v1/recording",
            "  GET  /metrics                 for Prometheus",
            "",
            "Try:",
            "  sluice serve",
            "  curl -i 'localhost:8080/v1/check?ip=203.0.113.9&path=/login&method=POST'",
            "  sluice serve --rules rules.yaml --store redis://127.0.0.1:6379",
            "",
            "Each option can be given as an environment variable: SLUICE_ and its name in capitals, with _ for -."
                    + " --admin-port is SLUICE_ADMIN_PORT. An option goes before its variable.",
            "Port 0 takes a free port and prints its number. The log goes to standard error, one line for each event."
                    + " OTEL_EXPORTER_OTLP_ENDPOINT turns traces on."
        })
final class ServeCommand implements Callable<Integer> {
    /** The most attributes that the example of a call names. */
    private static final int MAX_SHOWN = 6;

    static final String NAME = "serve";

    @Mixin
    private CommonOptions common = new CommonOptions();

    @Mixin
    private TlsOptions tls = new TlsOptions();

    @Mixin
    private RecorderOptions recorder = new RecorderOptions();

    @Option(
            names = "--rules",
            paramLabel = "FILE",
            description = "The rule file; sluice check validates it. Default: a built-in example.")
    private @Nullable Path rules;

    @Option(
            names = "--store",
            paramLabel = "URL",
            description = "The store of the counters: memory, redis://host:6379, redis-sentinel://a,b#master or"
                    + " redis-cluster://a:7001,b:7002. Default: the store that the rule file names.")
    private @Nullable String store;

    @Option(
            names = "--memory",
            paramLabel = "SIZE",
            description =
                    "The largest amount of memory for counters: a size such as 256MB, or a part of the heap such as"
                            + " 25%%. Default: what the rule file says, or else 25%%.")
    private @Nullable String memory;

    @Option(
            names = "--store-timeout",
            paramLabel = "MILLIS",
            description = "How long to wait for Redis before a rule's on-store-failure decides. Default:"
                    + " ${DEFAULT-VALUE}.",
            defaultValue = "50")
    private int storeTimeout;

    @Option(
            names = "--store-prefix",
            paramLabel = "TEXT",
            description = "The prefix of all keys in Redis; servers with different prefixes share nothing."
                    + " Default: ${DEFAULT-VALUE}.",
            defaultValue = "sluice")
    private String storePrefix = "sluice";

    @Option(
            names = "--port",
            paramLabel = "N",
            description = "The data port. Default: ${DEFAULT-VALUE}.",
            defaultValue = "8080")
    private int port;

    @Option(
            names = "--host",
            paramLabel = "ADDRESS",
            description = "The address of the data port. Default: ${DEFAULT-VALUE}, which only this machine can reach;"
                    + " 0.0.0.0 is every address.",
            defaultValue = Address.LOOPBACK)
    private String host = Address.LOOPBACK;

    @Option(
            names = "--admin-port",
            paramLabel = "N",
            description = "The admin port. Default: ${DEFAULT-VALUE}.",
            defaultValue = "8081")
    private int adminPort;

    @Option(
            names = "--admin-host",
            paramLabel = "ADDRESS",
            description = "The address of the admin port. Default: ${DEFAULT-VALUE}; any other needs a token.",
            defaultValue = Address.LOOPBACK)
    private String adminHost = Address.LOOPBACK;

    @Option(
            names = "--admin-token-file",
            paramLabel = "FILE",
            description = "The tokens for the admin port: name:token or token on each line, at least 16 characters.")
    private @Nullable Path adminTokenFile;

    @Option(
            names = "--admin-token",
            paramLabel = "TOKEN",
            description = "One token for the admin port; other users of this machine can see it, but not the variable.")
    private @Nullable String adminToken;

    @Option(
            names = "--audit-log",
            paramLabel = "FILE",
            description = "The file that records changes made over the admin port. Default: standard output.")
    private @Nullable Path auditLog;

    @Option(
            names = "--envoy-config",
            paramLabel = "DIR",
            description = "Decides for Envoy by the *.yaml files in this folder, in the format of envoyproxy/ratelimit."
                    + " Default: by the rules.")
    private @Nullable Path envoyConfig;

    @Option(
            names = "--max-connections",
            paramLabel = "N",
            description = "The largest number of open connections; more are closed at once. Default: ${DEFAULT-VALUE}.",
            defaultValue = "10000")
    private int maxConnections;

    @Option(
            names = "--drain",
            paramLabel = "SECONDS",
            description = "How long the service goes on after SIGTERM while /readyz says 503 and gRPC health checks"
                    + " NOT_SERVING, so that balancers stop sending requests before the ports close. Default:"
                    + " ${DEFAULT-VALUE}.",
            defaultValue = "5")
    private int drain;

    @Option(
            names = "--grace",
            paramLabel = "SECONDS",
            description = "How long requests under way may take when the service stops. Default: ${DEFAULT-VALUE}.",
            defaultValue = "10")
    private int grace;

    @Option(
            names = "--availability-target",
            paramLabel = "PERCENT",
            description =
                    "The part of requests that should be decided by the store, in percent, as /v1/figures shows it:"
                            + " more than 0 and less than 100. Default: ${DEFAULT-VALUE}.",
            defaultValue = "99.9")
    private String availabilityTarget = "99.9";

    @Option(
            names = "--legacy-headers",
            description = "Sends X-RateLimit-Limit, X-RateLimit-Remaining and X-RateLimit-Reset too.")
    private boolean legacyHeaders;

    @Option(
            names = "--log-format",
            paramLabel = "FORMAT",
            description = "The form of a line of the log: text or json. Default: ${DEFAULT-VALUE}.",
            defaultValue = "text")
    private String logFormat = "text";

    @Override
    public Integer call() throws InterruptedException {
        ServerLog.to(System.err, logFormat());
        ServerSettings settings = settings();
        common.misspeltVariables()
                .forEach(sentence -> ServerLog.events()
                        .atWarn()
                        .addKeyValue("problem", sentence)
                        .log("unknown-variable"));
        PrintWriter out = common.out();
        long began = System.nanoTime();
        SluiceServer server = start(settings);
        CountDownLatch stopped = new CountDownLatch(1);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(server, out, stopped), "sluice-stop"));
        log(server, (System.nanoTime() - began) / 1_000_000);
        String data = settings.data().url(server.port());
        out.println("Ask       " + example(settings.rules(), data));
        out.println("Look at   " + settings.admin().url(server.adminPort()) + "/   (live, rules, explain, playground)");
        out.println("Health    " + data + "/healthz");
        out.println("Stop with Ctrl-C" + (drain == 0 ? "." : "; the ports close after " + drain + " s (--drain)."));
        stopped.await();
        return 0;
    }

    /** A call that the rules in force limit, or what such a call says. */
    private String example(InitialRules rules, String data) {
        if (envoyConfig != null) {
            return data + "/json, or the same port over gRPC, with the descriptors of " + envoyConfig;
        }
        if (rules.file() == null) {
            return data + "/v1/check?ip=203.0.113.9&path=/login&method=POST";
        }
        String query = rules.rules().rules().stream()
                .flatMap(Rule::attributes)
                .filter(attribute -> !attribute.equals(StatusConditions.STATUS))
                .distinct()
                .limit(MAX_SHOWN)
                .map(attribute -> attribute + "=...")
                .collect(Collectors.joining("&"));
        return data + "/v1/check" + (query.isEmpty() ? "" : "?" + query + "   (the attributes of your rules)");
    }

    private SluiceServer start(ServerSettings settings) {
        CompletableFuture<Boolean> warm = WarmUp.begin();
        try {
            return SluiceServer.start(settings, () -> {
                if (!warm.join()) {
                    ServerLog.events()
                            .atInfo()
                            .addKeyValue("effect", "the first answers take longer")
                            .log("not-warm");
                }
            });
        } catch (IllegalArgumentException e) {
            throw common.wrongCall(e);
        }
    }

    private void log(SluiceServer server, long millis) {
        ServerLog.events()
                .atInfo()
                .addKeyValue("port", server.port())
                .addKeyValue("adminPort", server.adminPort())
                .addKeyValue("host", host)
                .addKeyValue("adminHost", adminHost)
                .addKeyValue("rules", server.rules().rules().size())
                .addKeyValue("file", rules == null ? "example" : rules)
                .addKeyValue("store", server.storeShown())
                .addKeyValue("millis", millis)
                .log("started");
    }

    private void stop(SluiceServer server, PrintWriter out, CountDownLatch stopped) {
        ServerLog.events().atInfo().addKeyValue("drainSeconds", drain).log("stopping");
        server.close();
        ServerLog.events().info("stopped");
        out.println("stopped");
        stopped.countDown();
    }

    private ServerSettings settings() {
        checkRange("--port", port, 0, 65535);
        checkRange("--admin-port", adminPort, 0, 65535);
        checkRange("--store-timeout", storeTimeout, 1, 60_000);
        checkRange("--max-connections", maxConnections, 1, 1_000_000);
        checkRange("--drain", drain, 0, 3600);
        checkRange("--grace", grace, 0, 3600);
        if (port == adminPort && port != 0) {
            throw common.wrongCall(common.origin("--port") + " and " + common.origin("--admin-port")
                    + " must differ, both are " + port);
        }
        return ServerSettings.of(rules == null ? InitialRules.example() : InitialRules.of(rules))
                .store(store)
                .memory(memory())
                .redis(new ServerSettings.Redis(storePrefix, Duration.ofMillis(storeTimeout)))
                .at(address(host, port, tls::data), address(adminHost, adminPort, tls::admin))
                .guarded(tokens(), audit())
                .envoy(envoy())
                .bounds(Bounds.DEFAULTS.withConnections(maxConnections))
                .drain(Duration.ofSeconds(drain))
                .grace(Duration.ofSeconds(grace))
                .fields(legacyHeaders ? HeaderFields.STANDARD_AND_LEGACY : HeaderFields.STANDARD)
                .tracer(tracer())
                .availabilityTarget(availabilityTarget())
                .recorder(recorder.settings(common));
    }

    private double availabilityTarget() {
        try {
            return AvailabilityTarget.parse(availabilityTarget);
        } catch (IllegalArgumentException e) {
            throw common.wrongCall(common.origin("--availability-target") + " " + e.getMessage());
        }
    }

    private LogFormat logFormat() {
        LogFormat format = LogFormat.named(logFormat);
        if (format == null) {
            throw common.wrongCall(common.origin("--log-format") + " must be text or json, was '" + logFormat + "'");
        }
        return format;
    }

    private @Nullable CheckTracer tracer() {
        try {
            return Tracing.of(System.getenv());
        } catch (IllegalArgumentException e) {
            throw common.wrongCall(e);
        }
    }

    private Address address(String host, int port, Supplier<@Nullable TlsFiles> tls) {
        try {
            return new Address(host, port, tls.get());
        } catch (IllegalArgumentException e) {
            throw common.wrongCall(e);
        }
    }

    private @Nullable String memory() {
        try {
            if (memory != null) {
                MemorySize.parse(memory);
            }
            return memory;
        } catch (IllegalArgumentException e) {
            throw common.wrongCall(common.origin("--memory") + ": " + e.getMessage());
        }
    }

    private AdminTokens tokens() {
        AdminTokens given =
                adminToken == null ? AdminTokens.none() : tokens(common.origin("--admin-token"), adminToken);
        if (adminTokenFile == null) {
            return given;
        }
        String option = common.origin("--admin-token-file");
        try {
            return given.and(tokens(option + " " + adminTokenFile, Files.readString(adminTokenFile)));
        } catch (IOException e) {
            throw new IllegalStateException(option + " cannot be read: " + e, e);
        }
    }

    /** Whoever asks for a token does not get a port without one: a text with none in it is wrong. */
    private AdminTokens tokens(String where, String text) {
        try {
            AdminTokens tokens = AdminTokens.parse(text);
            if (!tokens.isEmpty()) {
                return tokens;
            }
        } catch (IllegalArgumentException e) {
            throw common.wrongCall(where + ": " + e.getMessage());
        }
        throw common.wrongCall(where + ": there is no token; expected name:token or token on each line");
    }

    private AuditLog audit() {
        try {
            return auditLog == null ? AuditLog.toStandardOutput() : AuditLog.toFile(auditLog);
        } catch (IOException e) {
            throw new IllegalStateException(common.origin("--audit-log") + " cannot be written: " + e, e);
        }
    }

    private @Nullable EnvoyFolder envoy() {
        try {
            return envoyConfig == null ? null : EnvoyFolder.open(envoyConfig);
        } catch (EnvoyConfigException e) {
            throw new IllegalStateException(String.join("; ", e.problems()), e);
        }
    }

    private void checkRange(String name, int value, int min, int max) {
        if (value < min || value > max) {
            throw common.wrongCall(common.origin(name) + " must be from " + min + " to " + max + ", was " + value);
        }
    }
}
