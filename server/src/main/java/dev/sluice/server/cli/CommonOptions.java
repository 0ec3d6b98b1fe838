package dev.sluice.server.cli;

import java.io.PrintWriter;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** What every command has: {@code --help}, standard output, and how it refuses a wrong option. */
final class CommonOptions {
    @Spec(Spec.Target.MIXEE)
    private CommandSpec command = CommandSpec.create();

    @SuppressWarnings("UnusedVariable") // picocli reads it
    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help and exit.")
    private boolean help;

    PrintWriter out() {
        return command.commandLine().getOut();
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

    /** Makes the exception that ends a command which was called wrongly. */
    ParameterException wrongCall(String message) {
        return new ParameterException(command.commandLine(), message);
    }

    /** The same, with the message of a refused argument. */
    ParameterException wrongCall(IllegalArgumentException refused) {
        return new ParameterException(command.commandLine(), String.valueOf(refused.getMessage()), refused);
    }
}
