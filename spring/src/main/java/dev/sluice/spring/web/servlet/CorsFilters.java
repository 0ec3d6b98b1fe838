package dev.sluice.spring.web.servlet;

import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.boot.web.servlet.RegistrationBean;
import org.springframework.web.filter.CorsFilter;

/** The filters for CORS that the servlet container calls for a request: a bean may register one for some paths, or not. */
final class CorsFilters {
    private CorsFilters() {}

    static Stream<CorsFilter> of(ListableBeanFactory beans, HttpServletRequest request) {
        List<FilterRegistrationBean<?>> registrations = beans.getBeanProvider(RegistrationBean.class)
                .orderedStream()
                .<FilterRegistrationBean<?>>mapMulti((registration, into) -> {
                    if (registration instanceof FilterRegistrationBean<?> filter
                            && filter.getFilter() instanceof CorsFilter) {
                        into.accept(filter);
                    }
                })
                .toList();
        Stream<CorsFilter> unregistered = beans.getBeanProvider(CorsFilter.class)
                .orderedStream()
                .filter(bean -> registrations.stream().noneMatch(each -> bean.equals(each.getFilter())));
        Stream<CorsFilter> registered = registrations.stream()
                .filter(each -> each.isEnabled() && appliesTo(each, request))
                .map(each -> (CorsFilter) each.getFilter());
        return Stream.concat(unregistered, registered);
    }

    private static boolean appliesTo(FilterRegistrationBean<?> registration, HttpServletRequest request) {
        String path = request.getServletPath() + Objects.requireNonNullElse(request.getPathInfo(), "");
        return registration.getUrlPatterns().isEmpty()
                || registration.getUrlPatterns().stream().anyMatch(pattern -> matches(pattern, path));
    }

    /** As the servlet specification has it. */
    private static boolean matches(String pattern, String path) {
        if (pattern.endsWith("/*")) {
            String folder = pattern.substring(0, pattern.length() - 2);
            return path.equals(folder) || path.startsWith(folder + "/");
        }
        return pattern.startsWith("*.") ? path.endsWith(pattern.substring(1)) : path.equals(pattern);
    }
}
