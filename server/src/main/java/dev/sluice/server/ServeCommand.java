package dev.sluice.server;

import dev.sluice.rules.RuleFile;
import dev.sluice.rules.RuleSet;
import dev.sluice.server.http.Bounds;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
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
            "  DELETE /v1/leases/{id}        gives back what a concurrency limit granted",
            "  GET  /nginx                   for auth_request: 204 or 403",
            "  GET  /healthz, /readyz        is it alive, does it take requests",
            "Admin port (for this machine alone):",
            "  GET  /                        a page that shows what a limit would do to your traffic",
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
                    + " redis-cluster://a:7001,b:7002. Default: what the rule file says.")
    private @Nullable String store;

    @Option(names = "--port", paramLabel = "N", description = "Default: ${DEFAULT-VALUE}.", defaultValue = "8080")
    private int port;

    @Option(
            names = "--host",
            paramLabel = "ADDRESS",
            description = "Where that port listens. Default: ${DEFAULT-VALUE}, which is everywhere.",
            defaultValue = Settings.EVERYWHERE)
    private String host = Settings.EVERYWHERE;

    @Option(
            names = "--admin-port",
            paramLabel = "N",
            description = "On 127.0.0.1 only. Default: ${DEFAULT-VALUE}.",
            defaultValue = "8081")
    private int adminPort;

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
        SluiceServer server = start(settings);
        CountDownLatch stopped = new CountDownLatch(1);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(server, out, stopped), "sluice-stop"));
        Log.info(
                "started",
                "port",
                server.port(),
                "adminPort",
                server.adminPort(),
                "rules",
                settings.rules().rules().size(),
                "file",
                rules == null ? "example" : rules,
                "store",
                shown(settings.store()),
                "millis",
                (System.nanoTime() - began) / 1_000_000);
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
            throw new ParameterException(spec.commandLine(), "store: " + e.getMessage(), e);
        }
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
        checkRange("--max-connections", maxConnections, 1, 1_000_000);
        checkRange("--grace", grace, 0, 3600);
        if (port == adminPort && port != 0) {
            throw new ParameterException(spec.commandLine(), "--port and --admin-port must differ, both are " + port);
        }
        RuleSet set = rules == null ? RuleFile.example() : RuleFile.read(rules);
        return Settings.of(set)
                .store(store == null ? set.store() : store)
                .ports(port, adminPort)
                .hosts(host, Settings.LOOPBACK)
                .bounds(Bounds.USUAL.withConnections(maxConnections))
                .grace(Duration.ofSeconds(grace));
    }

    /** A URL without its password. */
    private static String shown(String store) {
        return store.replaceFirst("//[^@/]*@", "//***@");
    }

    private void checkRange(String name, int value, int least, int most) {
        if (value < least || value > most) {
            throw new ParameterException(
                    spec.commandLine(), name + " must be from " + least + " to " + most + ", was " + value);
        }
    }
}
