package dev.sluice.server.envoy.file;

import java.util.List;

/** Thrown for invalid files, with all their problems. */
public final class EnvoyConfigException extends Exception {
    private static final long serialVersionUID = 1;

    private final transient List<String> problems;

    EnvoyConfigException(List<String> problems) {
        super(String.join(System.lineSeparator(), problems));
        this.problems = List.copyOf(problems);
    }

    /** One line each: {@code file:line:column: field: the problem}. */
    public List<String> problems() {
        return problems;
    }
}
