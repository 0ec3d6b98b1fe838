package dev.sluice.spring.web;

import dev.sluice.rules.Request;
import dev.sluice.spring.RateLimitConfigurationException;
import java.util.ArrayList;
import java.util.List;
import org.springframework.http.server.PathContainer;
import org.springframework.web.util.pattern.PathPattern;
import org.springframework.web.util.pattern.PathPatternParser;
import org.springframework.web.util.pattern.PatternParseException;

/** Paths that are let through unasked. */
final class ExcludedPaths {
    private final List<PathPattern> patterns = new ArrayList<>();

    ExcludedPaths(List<String> patterns) {
        for (String pattern : patterns) {
            try {
                this.patterns.add(PathPatternParser.defaultInstance.parse(pattern));
            } catch (PatternParseException e) {
                throw new RateLimitConfigurationException(
                        "sluice.filter.exclude: expected a path pattern such as /actuator/**," + " was '" + pattern
                                + "': " + e.getMessage());
            }
        }
    }

    boolean contains(Request request) {
        String path = patterns.isEmpty() ? null : request.attribute("path");
        if (path == null) {
            return false;
        }
        PathContainer parsed = PathContainer.parsePath(path);
        return patterns.stream().anyMatch(pattern -> pattern.matches(parsed));
    }
}
