package dev.sluice.spring.web.servlet;

import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.web.cors.CorsConfiguration;
import org.springframework.web.cors.CorsConfigurationSource;
import org.springframework.web.cors.CorsUtils;
import org.springframework.web.cors.DefaultCorsProcessor;
import org.springframework.web.filter.CorsFilter;

/**
 * Adds the CORS headers that the application is configured for to a response that never reaches the part of it which adds
 * them. Without them a browser hides the response from the script that asked.
 */
final class ServletCors {
    private static final Logger LOG = LoggerFactory.getLogger(ServletCors.class);

    private final Function<HttpServletRequest, List<CorsFilter>> filters;
    private final Supplier<Optional<CorsConfigurationSource>> mappings;

    /**
     * @param filters the filters for CORS of a request; one that has run already does nothing
     * @param mappings what Spring MVC applies, if the application has it; any other source is applied by a filter or by
     *     nothing
     */
    ServletCors(
            Function<HttpServletRequest, List<CorsFilter>> filters,
            Supplier<Optional<CorsConfigurationSource>> mappings) {
        this.filters = filters;
        this.mappings = mappings;
    }

    /** Adds the headers. Returns false if the application answers the origin with 403: then the response is complete. */
    boolean apply(HttpServletRequest request, HttpServletResponse response) throws IOException, ServletException {
        if (!isCors(request)) {
            return true;
        }
        try {
            return applyFilters(request, response) && applyMappings(request, response);
        } catch (IllegalArgumentException | IllegalStateException unreadable) {
            LOG.debug("a refusal has no CORS headers", unreadable);
            return true;
        }
    }

    /** An origin that cannot be read is left to what answers for the application. */
    private static boolean isCors(HttpServletRequest request) {
        try {
            return CorsUtils.isCorsRequest(request);
        } catch (IllegalArgumentException | IllegalStateException unreadable) {
            return true;
        }
    }

    private boolean applyFilters(HttpServletRequest request, HttpServletResponse response)
            throws IOException, ServletException {
        for (CorsFilter filter : filters.apply(request)) {
            AtomicBoolean passed = new AtomicBoolean();
            filter.doFilter(request, response, (sameRequest, sameResponse) -> passed.set(true));
            if (!passed.get()) {
                return false;
            }
        }
        return true;
    }

    private boolean applyMappings(HttpServletRequest request, HttpServletResponse response) throws IOException {
        CorsConfiguration configuration = mappings.get()
                .map(source -> source.getCorsConfiguration(request))
                .orElse(null);
        return configuration == null || new DefaultCorsProcessor().processRequest(configuration, request, response);
    }
}
