package dev.sluice.spring.web;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.web.server.ServerWebExchange;

/** A WebFlux exchange, and the name of its user. */
record ExchangeAdapter(ServerWebExchange exchange, @Nullable String user) implements WebRequestAdapter {
    @Override
    public String method() {
        return exchange.getRequest().getMethod().name();
    }

    @Override
    public String path() {
        return exchange.getRequest().getURI().getRawPath();
    }

    @Override
    public @Nullable String host() {
        return exchange.getRequest().getURI().getHost();
    }

    /** The IP address; if it was not resolved, the name that the server has for the other end. */
    @Override
    public String peer() {
        InetSocketAddress remote = exchange.getRequest().getRemoteAddress();
        if (remote == null) {
            return "unknown";
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
}
