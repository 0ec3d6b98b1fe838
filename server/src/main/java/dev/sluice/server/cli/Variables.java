package dev.sluice.server.cli;

import dev.sluice.text.DidYouMean;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.IDefaultValueProvider;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * Environment variables in place of options: {@code SLUICE_ADMIN_PORT} for {@code --admin-port}, and so for every option
 * of a command. An option goes before its variable. A variable that is empty counts as not set, since that is how
 * manifests leave one out.
 */
final class Variables implements IDefaultValueProvider {
    private static final String PREFIX = "SLUICE_";
    /** The launcher reads it. */
    private static final String JAVA_OPTIONS = "SLUICE_JAVA_OPTS";

    private final Map<String, String> environment;
    private final List<String> args;

    /** With the arguments of the call: a variable is not looked at, right or wrong, if its option is among them. */
    Variables(Map<String, String> environment, String... args) {
        this.environment = Map.copyOf(environment);
        this.args = List.of(args);
    }

    /** Those of these names alone. */
    Variables only(String... names) {
        Map<String, String> some = new HashMap<>(environment);
        some.keySet().retainAll(List.of(names));
        return new Variables(some, args.toArray(String[]::new));
    }

    /** The variable of an option. */
    static String nameOf(OptionSpec option) {
        return PREFIX
                + option.longestName().replaceFirst("^-+", "").replace('-', '_').toUpperCase(Locale.ROOT);
    }

    @Override
    public @Nullable String defaultValue(ArgSpec argument) {
        return argument instanceof OptionSpec option ? value(option) : null;
    }

    /** Whether the value of an option comes from its variable. */
    boolean supplies(OptionSpec option) {
        return value(option) != null;
    }

    private @Nullable String value(OptionSpec option) {
        if (option.usageHelp() || option.versionHelp() || isHelp() || isGiven(option)) {
            return null;
        }
        String value = environment.get(nameOf(option));
        return value == null || value.isBlank() ? null : value;
    }

    private boolean isHelp() {
        return args.contains("--help") || args.contains("-h");
    }

    private boolean isGiven(OptionSpec option) {
        for (String name : option.names()) {
            if (args.stream().anyMatch(arg -> arg.equals(name) || arg.startsWith(name + "="))) {
                return true;
            }
        }
        return false;
    }

    /** What is wrong with a value, told to somebody who may not have set the variable. */
    static String hint(String value) {
        return value.startsWith("tcp://")
                ? ": Kubernetes sets this variable for a Service of the name sluice;"
                        + " set enableServiceLinks: false in the pod, or pass the option"
                : "";
    }

    /** The value of a variable; empty if it is not set. */
    String text(OptionSpec option) {
        return environment.getOrDefault(nameOf(option), "");
    }

    /** A sentence for each variable that looks like one of a command's and is none. */
    List<String> misspelt(CommandSpec command) {
        Set<String> known = command.options().stream()
                .filter(option -> !option.usageHelp() && !option.versionHelp())
                .map(Variables::nameOf)
                .collect(Collectors.toSet());
        return environment.keySet().stream()
                .filter(name -> name.startsWith(PREFIX) && !name.equals(JAVA_OPTIONS) && !known.contains(name))
                .filter(name -> !DidYouMean.hint(name, known).isEmpty())
                .sorted()
                .map(name -> name + " is not a variable of sluice serve" + DidYouMean.hint(name, known))
                .toList();
    }
}
