package dev.sluice.spring;

import java.util.List;

/** The application cannot start, because its rate limits are misconfigured. */
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

    /** All problems, each with the place, the value found and what was expected. */
    public List<String> problems() {
        return problems;
    }
}
