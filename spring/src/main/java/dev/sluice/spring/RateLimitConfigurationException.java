package dev.sluice.spring;

import java.util.List;

/** The application cannot start, since something is wrong with what it says about limits. */
public final class RateLimitConfigurationException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final transient List<String> problems;

    public RateLimitConfigurationException(List<String> problems) {
        super(String.join(System.lineSeparator(), problems));
        this.problems = List.copyOf(problems);
    }

    public RateLimitConfigurationException(String problem) {
        this(List.of(problem));
    }

    /** Everything that is wrong: what, where, and what would be right. */
    public List<String> problems() {
        return problems;
    }
}
