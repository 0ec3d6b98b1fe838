package dev.sluice.server;

import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command line. Exit codes: 0 done, 1 could not be done, 2 asked for wrongly. */
@Command(
        name = "sluice",
        description =
                "Rate limiting: one limiter in front of everything, and a look at what a limit does before you turn it on.",
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {ServeCommand.class, CheckCommand.class, SimulateCommand.class},
        footer = {
            "",
            "Try:",
            "  sluice serve                               the service on example rules, and a page to play with limits",
            "  sluice check rules.yaml                    is this rule file right?",
            "  sluice simulate --traffic boundary         all algorithms on one attack, as a picture",
            "  sluice bench core                          how fast this machine decides",
            "  sluice bench redis                         how fast it decides with Redis",
            "  sluice chaos                               what callers see while Redis is killed, paused and flushed",
            "  sluice COMMAND --help                      all about one of them"
        })
public final class Main implements Runnable {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @SuppressWarnings("UnusedVariable") // picocli shows it
    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this and exit.")
    private boolean help;

    /** Runs one command and exits with its code. */
    public static void main(String[] args) {
        PrintWriter out = new PrintWriter(System.out, true, java.nio.charset.StandardCharsets.UTF_8);
        PrintWriter err = new PrintWriter(System.err, true, java.nio.charset.StandardCharsets.UTF_8);
        System.exit(run(out, err, args));
    }

    /** Runs one command and returns its exit code. */
    static int run(PrintWriter out, PrintWriter err, String... args) {
        return new CommandLine(new Main())
                .setOut(out)
                .setErr(err)
                .setUsageHelpWidth(100)
                .setParameterExceptionHandler((e, given) -> {
                    err.println(name(e.getCommandLine()) + ": " + line(e) + "; see " + name(e.getCommandLine())
                            + " --help");
                    return CommandLine.ExitCode.USAGE;
                })
                .setExecutionExceptionHandler((e, commandLine, result) -> {
                    err.println(name(commandLine) + ": " + line(e));
                    return CommandLine.ExitCode.SOFTWARE;
                })
                .execute(args);
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "say what to do: serve, check, simulate, bench or chaos");
    }

    private static String name(CommandLine commandLine) {
        return commandLine.getCommandSpec().qualifiedName(" ");
    }

    private static String line(Throwable e) {
        String message = e.getMessage();
        return message == null || message.isBlank()
                ? e.getClass().getSimpleName()
                : message.strip().replaceAll("\\s*\\R\\s*", " ");
    }
}
