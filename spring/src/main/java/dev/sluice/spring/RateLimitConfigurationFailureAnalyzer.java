package dev.sluice.spring;

import java.util.stream.Collectors;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Shows the problems in place of a stack trace. */
final class RateLimitConfigurationFailureAnalyzer extends AbstractFailureAnalyzer<RateLimitConfigurationException> {
    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, RateLimitConfigurationException cause) {
        String description = cause.problems().stream()
                .map(problem -> "    " + problem)
                .collect(Collectors.joining("\n", "The rate limits are misconfigured:\n\n", "\n"));
        return new FailureAnalysis(description, "Correct the annotations or properties named above.", cause);
    }
}
