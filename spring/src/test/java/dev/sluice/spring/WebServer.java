package dev.sluice.spring;

import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;
import org.springframework.boot.WebApplicationType;
import org.springframework.util.ClassUtils;

/** The servers that an application can run on. Spring Boot 4 has no Undertow, and its tests here no Jetty. */
public enum WebServer {
    TOMCAT("org.apache.catalina.startup.Tomcat"),
    JETTY("org.eclipse.jetty.server.Server"),
    UNDERTOW("io.undertow.servlet.Servlets"),
    NETTY("reactor.netty.http.server.HttpServer");

    private static final ClassLoader LOADER = WebServer.class.getClassLoader();

    private final String server;

    WebServer(String server) {
        this.server = server;
    }

    /** The class of Spring Boot that starts it; empty if the class path has no such server. */
    Optional<Class<?>> factory(WebApplicationType type) {
        String name = name().charAt(0) + name().substring(1).toLowerCase(Locale.ROOT);
        String kind = type == WebApplicationType.SERVLET ? "Servlet" : "Reactive";
        String factory = name + kind + "WebServerFactory";
        String lower = name.toLowerCase(Locale.ROOT);
        return Stream.of(
                        "web.embedded." + lower + ".",
                        this == NETTY ? "reactor.netty." : lower + "." + kind.toLowerCase(Locale.ROOT) + ".")
                .map(where -> "org.springframework.boot." + where + factory)
                .filter(each -> ClassUtils.isPresent(server, LOADER) && ClassUtils.isPresent(each, LOADER))
                .findFirst()
                .<Class<?>>map(each -> ClassUtils.resolveClassName(each, LOADER));
    }

    public boolean isPresent(WebApplicationType type) {
        return factory(type).isPresent();
    }
}
