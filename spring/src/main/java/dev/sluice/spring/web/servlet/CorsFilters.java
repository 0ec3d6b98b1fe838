package dev.sluice.spring.web.servlet;

import jakarta.servlet.FilterConfig;
import jakarta.servlet.FilterRegistration;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.boot.web.servlet.RegistrationBean;
import org.springframework.core.annotation.AnnotationAwareOrderComparator;
import org.springframework.web.filter.CorsFilter;

/**
 * The filters for CORS that the servlet container calls for a request. A filter may be a bean, or belong to a bean that
 * registers it; for which requests it is called, the container itself knows best.
 */
final class CorsFilters {
    private CorsFilters() {}

    static Stream<CorsFilter> of(ListableBeanFactory beans, HttpServletRequest request) {
        Stream<CorsFilter> own = beans.getBeansOfType(CorsFilter.class).entrySet().stream()
                .filter(bean -> isCalledFor(bean.getValue(), bean.getKey(), request))
                .map(Map.Entry::getValue)
                .sorted(AnnotationAwareOrderComparator.INSTANCE);
        Stream<CorsFilter> registered = beans.getBeanProvider(RegistrationBean.class)
                .orderedStream()
                .<CorsFilter>mapMulti((registration, into) -> {
                    if (registration instanceof FilterRegistrationBean<?> bean
                            && bean.getFilter() instanceof CorsFilter filter
                            && isCalledFor(filter, "", request)) {
                        into.accept(filter);
                    }
                });
        return Stream.concat(own, registered).distinct();
    }

    /**
     * Whether the container calls a filter.
     *
     * @param bean the name of a bean that the container may call through a proxy of that name, without initializing it
     */
    private static boolean isCalledFor(CorsFilter filter, String bean, HttpServletRequest request) {
        FilterConfig initialized = filter.getFilterConfig();
        String name = initialized == null ? bean : initialized.getFilterName();
        FilterRegistration registration = request.getServletContext().getFilterRegistration(name);
        if (registration == null) {
            return initialized != null; // tests without a container do not tell
        }
        String path = request.getServletPath() + Objects.requireNonNullElse(request.getPathInfo(), "");
        return registration.getUrlPatternMappings().stream().anyMatch(pattern -> matches(pattern, path))
                || registration
                        .getServletNameMappings()
                        .contains(request.getHttpServletMapping().getServletName());
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
