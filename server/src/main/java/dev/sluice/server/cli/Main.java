package dev.sluice.server.cli;

import dev.sluice.server.WarmUp;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;

/** The command line. Exit codes: 0 done, 1 failed, 2 called wrongly. */
@Command(
        name = "sluice",
        description = "Rate limiting: the service, and tools to try a limit before you turn it on.",
        synopsisSubcommandLabel = "COMMAND",
        versionProvider = Version.class,
        subcommands = {
            ServeCommand.class,
            CheckCommand.class,
            SimulateCommand.class,
            ReplayCommand.class,
            SuggestCommand.class,
            JudgeCommand.class,
            GenerateCommand.class
        },
        footer = {
            "",
            "Try:",
            "  sluice serve                               run the service, with a page to try limits",
            "  sluice check rules.yaml                    validate a rule file",
            "  sluice simulate --traffic boundary         draw what all algorithms do in an attack",
            "  sluice replay access.log --rules FILE      show what these rules would have done to this traffic",
            "  sluice suggest access.log                  find limits that nearly all clients keep",
            "  sluice generate --lines 100000             generate an access log to try rules on",
            "  sluice COMMAND --help                      show the options of a command",
            "",
            "In a checkout of the sources, also:",
            "  ./sluice bench core                        measure how fast this machine decides",
            "  ./sluice bench redis                       measure how fast it decides with Redis",
            "  ./sluice chaos                             kill, pause and flush Redis, and see what callers see",
            "  ./sluice package                           make a tarball and a .deb that need no JDK"
        })
public final class Main implements Runnable {
    @Mixin
    private CommonOptions common = new CommonOptions();

    /** Runs one command and exits with its code. */
    public static void main(String[] args) {
        StandardOutput output = new StandardOutput(new FileOutputStream(FileDescriptor.out));
        PrintWriter out = new PrintWriter(output, true, StandardCharsets.UTF_8);
        PrintWriter err = new PrintWriter(System.err, true, StandardCharsets.UTF_8);
        if (args.length > 0 && args[0].equals(ServeCommand.NAME)) {
            CompletableFuture<Boolean> unused = WarmUp.begin(); // while the options and the rules are read
        }
        int code = run(out, err, args);
        out.flush();
        System.exit(output.exitCode(code, err));
    }

    /** Runs one command and returns its exit code. */
    public static int run(PrintWriter out, PrintWriter err, String... args) {
        return run(out, err, System.getenv(), args);
    }

    static int run(PrintWriter out, PrintWriter err, Map<String, String> environment, String... args) {
        Variables variables = new Variables(environment, args);
        CommandLine commandLine = new CommandLine(new Main())
                .setOut(out)
                .setErr(err)
                .setUsageHelpWidth(100)
                .setParameterExceptionHandler((e, given) -> {
                    err.println(name(e.getCommandLine()) + ": " + message(e, variables) + "; see "
                            + name(e.getCommandLine()) + " --help");
                    return CommandLine.ExitCode.USAGE;
                })
                .setExecutionExceptionHandler((e, failed, result) -> {
                    err.println(name(failed) + ": " + line(e));
                    return CommandLine.ExitCode.SOFTWARE;
                });
        commandLine.getSubcommands().forEach((name, command) -> {
            command.getCommandSpec().versionProvider(new Version());
            if (name.equals(ServeCommand.NAME)) {
                command.setDefaultValueProvider(variables);
            } else if (command.getCommandSpec().findOption("--admin-token") != null) {
                command.setDefaultValueProvider(variables.only("SLUICE_ADMIN_TOKEN", "SLUICE_ADMIN_TOKEN_FILE"));
            }
        });
        return commandLine.execute(args);
    }

    /** What was wrong with a call; names the variable if the value came from one. */
    private static String message(ParameterException e, Variables variables) {
        if (e.getArgSpec() instanceof OptionSpec option && variables.supplies(option)) {
            return line(e).replace("option '" + option.longestName() + "'", "variable " + Variables.nameOf(option))
                    + Variables.hint(variables.text(option));
        }
        return line(e);
    }

    @Override
    public void run() {
        throw common.wrongCall(
                "say what to do: serve, check, simulate, replay, suggest or generate; in a checkout also bench, chaos or package");
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
