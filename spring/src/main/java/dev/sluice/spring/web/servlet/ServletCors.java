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
        if (!CorsUtils.isCorsRequest(request)) {
            return true;
        }
        for (CorsFilter filter : filters.apply(request)) {
            AtomicBoolean passed = new AtomicBoolean();
            filter.doFilter(request, response, (sameRequest, sameResponse) -> passed.set(true));
            if (!passed.get()) {
                return false;
            }
        }
        CorsConfiguration configuration = mappings.get()
                .map(source -> source.getCorsConfiguration(request))
                .orElse(null);
        return configuration == null || new DefaultCorsProcessor().processRequest(configuration, request, response);
    }
}
