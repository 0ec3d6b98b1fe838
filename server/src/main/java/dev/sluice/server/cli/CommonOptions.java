package dev.sluice.server.cli;

import java.io.PrintWriter;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** What every command has: {@code --help} and {@code --version}, standard output and error, and how it refuses a wrong option. */
final class CommonOptions {
    @Spec(Spec.Target.MIXEE)
    private CommandSpec command = CommandSpec.create();

    @SuppressWarnings("UnusedVariable") // picocli reads it
    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help and exit.")
    private boolean help;

    @SuppressWarnings("UnusedVariable") // picocli reads it
    @Option(
            names = {"-V", "--version"},
            versionHelp = true,
            description = "Show the version and exit.")
    private boolean version;

    PrintWriter out() {
        return command.commandLine().getOut();
    }

    PrintWriter err() {
        return command.commandLine().getErr();
    }

    /** The values of the options that were given, of those named, by name without the dashes. */
    Map<String, String> given(Collection<String> names) {
        Map<String, String> given = new HashMap<>();
        for (String name : names) {
            OptionSpec option = command.commandLine().getParseResult().matchedOption(name);
            if (option != null) {
                given.put(name, option.originalStringValues().get(0));
            }
        }
        return given;
    }

    /** The name that somebody gave a value of an option by: the option's, or its variable's. */
    String origin(String option) {
        OptionSpec spec = command.findOption(option);
        return spec != null && variables(command.commandLine()).supplies(spec) ? Variables.nameOf(spec) : option;
    }

    /** A sentence for each environment variable that is misspelt. */
    List<String> misspeltVariables() {
        return variables(command.commandLine()).misspelt(command);
    }

    private static Variables variables(CommandLine commandLine) {
        return commandLine.getDefaultValueProvider() instanceof Variables variables
                ? variables
                : new Variables(Map.of());
    }

    /** Makes the exception that ends a command which was called wrongly. */
    ParameterException wrongCall(String message) {
        return new ParameterException(command.commandLine(), message);
    }

    /** The same, with the message of a refused argument. */
    ParameterException wrongCall(IllegalArgumentException refused) {
        return new ParameterException(command.commandLine(), String.valueOf(refused.getMessage()), refused);
    }
}
