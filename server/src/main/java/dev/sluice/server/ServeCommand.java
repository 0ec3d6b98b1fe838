package dev.sluice.server;

import java.io.PrintWriter;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
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
            "Starts the server: health checks on one port, and on another, for this machine alone, a page that shows"
                    + " what a limit would do to your traffic. Runs until Ctrl-C or SIGTERM.",
            ""
        },
        footer = {
            "",
            "Port:        GET /healthz, GET /readyz",
            "Admin port:  GET / (the page), GET /simulate.svg?permits=10&per=10s&traffic=boundary (a picture)",
            "",
            "A port of 0 takes any that is free and says which."
        })
final class ServeCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(names = "--port", paramLabel = "N", description = "Default: ${DEFAULT-VALUE}.", defaultValue = "8080")
    private int port;

    @Option(
            names = "--admin-port",
            paramLabel = "N",
            description = "On 127.0.0.1 only. Default: ${DEFAULT-VALUE}.",
            defaultValue = "8081")
    private int adminPort;

    @SuppressWarnings("UnusedVariable") // picocli shows it
    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this and exit.")
    private boolean help;

    @Override
    public Integer call() throws InterruptedException {
        checkPort("--port", port);
        checkPort("--admin-port", adminPort);
        if (port == adminPort && port != 0) {
            throw new ParameterException(spec.commandLine(), "--port and --admin-port must differ, both are " + port);
        }
        PrintWriter out = spec.commandLine().getOut();
        SluiceServer server = SluiceServer.start(port, adminPort);
        CountDownLatch stopped = new CountDownLatch(1);
        Runtime.getRuntime()
                .addShutdownHook(new Thread(
                        () -> {
                            server.close();
                            out.println("stopped");
                            stopped.countDown();
                        },
                        "sluice-stop"));
        out.println("Look at   http://127.0.0.1:" + server.adminPort() + "/   (playground)");
        out.println("Health    http://127.0.0.1:" + server.port() + "/healthz");
        out.println("Stop with Ctrl-C.");
        stopped.await();
        return 0;
    }

    private void checkPort(String name, int value) {
        if (value < 0 || value > 65535) {
            throw new ParameterException(spec.commandLine(), name + " must be from 0 to 65535, was " + value);
        }
    }
}
