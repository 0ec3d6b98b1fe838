package dev.sluice.server.envoy;

import java.util.List;

/** Files that cannot be used, with everything that is wrong with them. */
public final class EnvoyConfigException extends Exception {
    private static final long serialVersionUID = 1;

    private final transient List<String> problems;

    EnvoyConfigException(List<String> problems) {
        super(String.join(System.lineSeparator(), problems));
        this.problems = List.copyOf(problems);
    }

    /** One line each: {@code file:line:column: what is wrong, and what would be right}. */
    public List<String> problems() {
        return problems;
    }
}
