package dev.sluice.spring.web.reactive;

import dev.sluice.spring.WebRules;
import dev.sluice.spring.web.WebRequestAdapter;
import dev.sluice.spring.web.servlet.ServletRequestAdapter;
import io.micrometer.observation.Observation;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.security.Principal;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpRequestDecorator;
import org.springframework.http.server.reactive.observation.ServerRequestObservationContext;
import org.springframework.util.ClassUtils;
import org.springframework.web.server.ServerWebExchange;
import reactor.netty.http.server.HttpServerRequest;

/** A WebFlux exchange, and its user. */
public record ExchangeAdapter(
        ServerWebExchange exchange, @Nullable Principal principal) implements WebRequestAdapter {
    /** The key under which the filter puts the exchange into Reactor's context. */
    public static final String IN_CONTEXT = "dev.sluice.exchange";

    private static final String FORWARDED_FOR = "X-Forwarded-For";
    private static final boolean NETTY =
            ClassUtils.isPresent("reactor.netty.http.server.HttpServerRequest", ExchangeAdapter.class.getClassLoader());
    private static final boolean SERVLETS =
            ClassUtils.isPresent("jakarta.servlet.http.HttpServletRequest", ExchangeAdapter.class.getClassLoader());

    @Override
    public Object request() {
        return exchange;
    }

    @Override
    public String method() {
        return exchange.getRequest().getMethod().name();
    }

    @Override
    public String path() {
        return exchange.getRequest().getPath().pathWithinApplication().value();
    }

    @Override
    public @Nullable String host() {
        return exchange.getRequest().getURI().getHost();
    }

    /** Spring replaces a request that has headers such as X-Forwarded-For; the server's own one is as it came. */
    @Override
    public Connection connection(WebRules rules) {
        Object server = serverRequest(exchange.getRequest());
        if (NETTY && server != null) {
            Connection connection = Netty.connection(server, rules.isForwardedByServer());
            if (connection != null) {
                return connection;
            }
        }
        if (SERVLETS && server instanceof jakarta.servlet.http.HttpServletRequest request) {
            return new ServletRequestAdapter(request).connection(rules);
        }
        return new Connection(text(exchange.getRequest().getRemoteAddress()), headers(FORWARDED_FOR), host());
    }

    @Override
    public Observation.@Nullable Context observation() {
        return ServerRequestObservationContext.findCurrent(exchange.getAttributes())
                .orElse(null);
    }

    /** The request of the server; null in a test without one. */
    private static @Nullable Object serverRequest(ServerHttpRequest request) {
        try {
            return ServerHttpRequestDecorator.getNativeRequest(request);
        } catch (IllegalArgumentException | IllegalStateException e) {
            return null;
        }
    }

    /** The IP address; if it was not resolved, the name that the server has for the other end. */
    private static String text(@Nullable SocketAddress address) {
        if (!(address instanceof InetSocketAddress remote)) {
            return address == null ? "unknown" : address.toString();
        }
        return remote.getAddress() == null
                ? remote.getHostString()
                : remote.getAddress().getHostAddress();
    }

    /** Iterates, since Spring 6 and 7 have no look-up by name in common. */
    @Override
    public List<String> headers(String name) {
        List<String> found = new ArrayList<>();
        exchange.getRequest().getHeaders().forEach((each, values) -> {
            if (each.equalsIgnoreCase(name)) {
                found.addAll(values);
            }
        });
        return found;
    }

    @Override
    public @Nullable Object attribute(String name) {
        return exchange.getAttribute(name);
    }

    @Override
    public void attribute(String name, Object value) {
        exchange.getAttributes().put(name, value);
    }

    /** Loaded only where the application has Reactor Netty. */
    private static final class Netty {
        /** Null if the server is another one. */
        static @Nullable Connection connection(Object server, boolean forwardedByServer) {
            if (!(server instanceof HttpServerRequest request)) {
                return null;
            }
            SocketAddress peer = forwardedByServer ? request.connectionRemoteAddress() : request.remoteAddress();
            return new Connection(
                    text(peer),
                    request.requestHeaders().getAll(FORWARDED_FOR),
                    request.requestHeaders().get("Host"));
        }
    }
}
