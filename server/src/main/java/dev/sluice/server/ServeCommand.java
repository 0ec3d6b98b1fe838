package dev.sluice.server;

import dev.sluice.rules.file.RuleFile;
import dev.sluice.server.Settings.Place;
import dev.sluice.server.admin.AuditLog;
import dev.sluice.server.admin.RuleSource;
import dev.sluice.server.admin.Tokens;
import dev.sluice.server.envoy.EnvoyConfigException;
import dev.sluice.server.envoy.EnvoyFolder;
import dev.sluice.server.web.Bounds;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Runs the server until it is told to stop. */
@Command(
        name = "serve",
        abbreviateSynopsis = true,
        sortOptions = false,
        description = {
            "Starts the service: others ask it whether a request may go ahead, and it answers by the rules in a file."
                    + " Runs until Ctrl-C or SIGTERM, then lets what is under way come to its end.",
            ""
        },
        footer = {
            "",
            "Port (for your services and proxies, not for the world):",
            "  GET  /v1/check?ip=203.0.113.9&path=/login&method=POST    200 or 429, with RateLimit headers",
            "  POST /v1/check {\"attributes\": {\"ip\": \"203.0.113.9\"}, \"cost\": 1}    the same; or a list of them",
            "  DELETE /v1/holds/{id}         releases what a concurrency limit granted",
            "  GET  /nginx                   for nginx's auth_request: 204 or 403",
            "  gRPC, POST /json              for Envoy: its rate limit service, version 3",
            "  GET  /healthz, /readyz        is it alive, does it take requests",
            "Admin port (for you):",
            "  GET  /                        a page that shows what a limit would do to your traffic",
            "  GET, PUT /v1/rules            the rules in force; further /v1/explain, /v1/keys, /v1/events",
            "  GET  /metrics                 for Prometheus",
            "",
            "Try:",
            "  sluice serve",
            "  curl -i 'localhost:8080/v1/check?ip=203.0.113.9&path=/login&method=POST'",
            "  sluice serve --rules rules.yaml --store redis://127.0.0.1:6379",
            "",
            "A port of 0 takes any that is free and says which. What happens goes to standard error, one line each."
        })
final class ServeCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(
            names = "--rules",
            paramLabel = "FILE",
            description = "The rule file; see sluice check. Default: the example that comes with this.")
    private @Nullable Path rules;

    @Option(
            names = "--store",
            paramLabel = "URL",
            description = "Where counters are kept: memory, redis://host:6379, redis-sentinel://a,b#master or"
                    + " redis-cluster://a:7001,b:7002. Default: what the environment variable SLUICE_STORE says, else what"
                    + " the rule file says.",
            defaultValue = "${env:SLUICE_STORE}",
            showDefaultValue = CommandLine.Help.Visibility.NEVER)
    private @Nullable String store;

    @Option(
            names = "--store-timeout",
            paramLabel = "MILLIS",
            description = "How long Redis has for an answer before a rule's on-store-failure decides. Default:"
                    + " ${DEFAULT-VALUE}.",
            defaultValue = "50")
    private int storeTimeout;

    @Option(
            names = "--store-prefix",
            paramLabel = "TEXT",
            description = "What the names of all keys in Redis begin with; servers with another one share nothing."
                    + " Default: ${DEFAULT-VALUE}.",
            defaultValue = "sluice")
    private String storePrefix = "sluice";

    @Option(names = "--port", paramLabel = "N", description = "Default: ${DEFAULT-VALUE}.", defaultValue = "8080")
    private int port;

    @Option(
            names = "--host",
            paramLabel = "ADDRESS",
            description = "Where that port listens. Default: ${DEFAULT-VALUE}, which is everywhere.",
            defaultValue = Place.EVERYWHERE)
    private String host = Place.EVERYWHERE;

    @Option(names = "--admin-port", paramLabel = "N", description = "Default: ${DEFAULT-VALUE}.", defaultValue = "8081")
    private int adminPort;

    @Option(
            names = "--admin-host",
            paramLabel = "ADDRESS",
            description = "Where the admin port listens. Default: ${DEFAULT-VALUE}; elsewhere a token is needed.",
            defaultValue = Place.LOOPBACK)
    private String adminHost = Place.LOOPBACK;

    @Option(
            names = "--admin-token-file",
            paramLabel = "FILE",
            description = "Who may use the admin port: name:token or token on each line, 16 characters or more.")
    private @Nullable Path adminTokenFile;

    @Option(
            names = "--admin-token",
            paramLabel = "TOKEN",
            description =
                    "The same for one token; others on this machine may see it here. Default: what the environment"
                            + " variable SLUICE_ADMIN_TOKEN says.",
            defaultValue = "${env:SLUICE_ADMIN_TOKEN}",
            showDefaultValue = CommandLine.Help.Visibility.NEVER)
    private @Nullable String adminToken;

    @Option(
            names = "--audit-log",
            paramLabel = "FILE",
            description = "Where changes over the admin port are written down. Default: standard output.")
    private @Nullable Path auditLog;

    @Option(
            names = "--envoy-config",
            paramLabel = "DIR",
            description = "Answers Envoys by the *.yaml files in this folder, in the format of envoyproxy/ratelimit."
                    + " Default: by the rules.")
    private @Nullable Path envoyConfig;

    @Option(
            names = "--max-connections",
            paramLabel = "N",
            description = "Further ones are closed at once. Default: ${DEFAULT-VALUE}.",
            defaultValue = "10000")
    private int maxConnections;

    @Option(
            names = "--grace",
            paramLabel = "SECONDS",
            description = "How long requests under way may take when the server stops. Default: ${DEFAULT-VALUE}.",
            defaultValue = "10")
    private int grace;

    @SuppressWarnings("UnusedVariable") // picocli shows it
    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this and exit.")
    private boolean help;

    @Override
    public Integer call() throws InterruptedException {
        Settings settings = settings();
        Log.to(System.err);
        PrintWriter out = spec.commandLine().getOut();
        long began = System.nanoTime();
        if (!WarmUp.run()) {
            Log.info("not-warm", "effect", "the first answers take longer");
        }
        SluiceServer server = start(settings);
        CountDownLatch stopped = new CountDownLatch(1);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(server, out, stopped), "sluice-stop"));
        log(server, (System.nanoTime() - began) / 1_000_000);
        out.println("Ask       http://127.0.0.1:" + server.port() + "/v1/check?ip=203.0.113.9&path=/login&method=POST");
        out.println("Look at   http://127.0.0.1:" + server.adminPort() + "/   (playground)");
        out.println("Health    http://127.0.0.1:" + server.port() + "/healthz");
        out.println("Stop with Ctrl-C.");
        stopped.await();
        return 0;
    }

    private SluiceServer start(Settings settings) {
        try {
            return SluiceServer.start(settings);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
        }
    }

    private void log(SluiceServer server, long millis) {
        Log.info(
                "started",
                "port",
                server.port(),
                "adminPort",
                server.adminPort(),
                "rules",
                server.rules().rules().size(),
                "file",
                rules == null ? "example" : rules,
                "store",
                server.storeShown(),
                "millis",
                millis);
    }

    private static void stop(SluiceServer server, PrintWriter out, CountDownLatch stopped) {
        Log.info("stopping");
        server.close();
        Log.info("stopped");
        out.println("stopped");
        stopped.countDown();
    }

    private Settings settings() {
        checkRange("--port", port, 0, 65535);
        checkRange("--admin-port", adminPort, 0, 65535);
        checkRange("--store-timeout", storeTimeout, 1, 60_000);
        checkRange("--max-connections", maxConnections, 1, 1_000_000);
        checkRange("--grace", grace, 0, 3600);
        if (port == adminPort && port != 0) {
            throw new ParameterException(spec.commandLine(), "--port and --admin-port must differ, both are " + port);
        }
        return Settings.of(rules == null ? RuleSource.Start.example() : file(rules))
                .store(store)
                .redis(new Settings.Redis(storePrefix, Duration.ofMillis(storeTimeout)))
                .at(new Place(host, port), new Place(adminHost, adminPort))
                .guarded(tokens(), auditLog == null ? AuditLog.to(System.out) : AuditLog.toFile(auditLog))
                .envoy(envoy())
                .bounds(Bounds.DEFAULTS.withConnections(maxConnections))
                .grace(Duration.ofSeconds(grace));
    }

    /** A file that is not right is told of in the words of sluice check. */
    private static RuleSource.Start file(Path file) {
        RuleFile.read(file);
        return RuleSource.Start.of(file);
    }

    private Tokens tokens() {
        String tokens = adminToken == null ? "" : adminToken;
        if (adminTokenFile != null) {
            try {
                tokens += "\n" + Files.readString(adminTokenFile);
            } catch (IOException e) {
                throw new IllegalStateException("--admin-token-file cannot be read: " + e, e);
            }
        }
        return Tokens.parse(tokens);
    }

    private @Nullable EnvoyFolder envoy() {
        try {
            return envoyConfig == null ? null : EnvoyFolder.open(envoyConfig);
        } catch (EnvoyConfigException e) {
            throw new IllegalStateException(String.join("; ", e.problems()), e);
        }
    }

    private void checkRange(String name, int value, int least, int most) {
        if (value < least || value > most) {
            throw new ParameterException(
                    spec.commandLine(), name + " must be from " + least + " to " + most + ", was " + value);
        }
    }
}
