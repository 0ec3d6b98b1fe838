package dev.sluice.bench.spring;

import jakarta.servlet.Filter;
import jakarta.servlet.ServletException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.boot.web.servlet.AbstractFilterRegistrationBean;
import org.springframework.boot.web.servlet.ServletContextInitializer;
import org.springframework.boot.web.servlet.ServletContextInitializerBeans;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.mock.web.MockFilterChain;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.web.servlet.DispatcherServlet;

/** A running application with the limiter of one starter. Requests pass its filters, but come over no network. */
final class App implements AutoCloseable {
    @SpringBootConfiguration
    @EnableAutoConfiguration
    @EnableCaching
    @Import({Api.Plain.class, Api.Sluice.class, Api.Bucket4j.class, Api.Resilience4j.class})
    static class Configuration {}

    /** More than any run asks for, an hour: 100,000 a second. */
    static final long PLENTY = 360_000_000;

    private final ConfigurableApplicationContext context;
    private final DispatcherServlet servlet;
    private final Filter[] filters;

    private App(ConfigurableApplicationContext context) {
        this.context = context;
        this.servlet = context.getBean(DispatcherServlet.class);
        this.filters = filters(context);
    }

    /** {@code limit}: how many calls are allowed in an hour. */
    static App start(Starter starter, long limit) {
        List<String> arguments = new ArrayList<>(List.of(
                "--server.address=127.0.0.1",
                "--server.port=0",
                "--spring.mvc.servlet.load-on-startup=1",
                "--spring.main.banner-mode=off",
                "--logging.level.root=error",
                "--spring.autoconfigure.exclude=" + String.join(",", excluded(starter))));
        arguments.addAll(starter.arguments(limit));
        return new App(SpringApplication.run(Configuration.class, arguments.toArray(String[]::new)));
    }

    private static List<String> excluded(Starter starter) {
        List<String> excluded = new ArrayList<>();
        for (String configuration : ImportCandidates.load(AutoConfiguration.class, App.class.getClassLoader())) {
            if (starter.excludes(configuration)) {
                excluded.add(configuration);
            }
        }
        return excluded;
    }

    /** The filters that the server would have, in its order. */
    private static Filter[] filters(ConfigurableApplicationContext context) {
        List<Filter> filters = new ArrayList<>();
        for (ServletContextInitializer initializer : new ServletContextInitializerBeans(context.getBeanFactory())) {
            if (initializer instanceof AbstractFilterRegistrationBean<?> registration && registration.isEnabled()) {
                filters.add(registration.getFilter());
            }
        }
        return filters.toArray(Filter[]::new);
    }

    /** A request, from the filters to the answer. */
    Response get(String path) throws ServletException, IOException {
        MockHttpServletRequest request = new MockHttpServletRequest(servlet.getServletContext(), "GET", path);
        Response response = new Response();
        new MockFilterChain(servlet, filters).doFilter(request, response);
        return response;
    }

    /** The status, which must be this one. */
    static int require(int status, Response response) {
        if (response.getStatus() != status) {
            throw new IllegalStateException("answered with " + response.getStatus() + " instead of " + status);
        }
        return status;
    }

    Api api(Class<? extends Api> type) {
        return context.getBean(type);
    }

    @Override
    public void close() {
        context.close();
    }
}
