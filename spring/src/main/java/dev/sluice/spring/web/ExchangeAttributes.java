package dev.sluice.spring.web;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.web.server.ServerWebExchange;

/** Those of a WebFlux exchange, and who is behind it. */
record ExchangeAttributes(
        ServerWebExchange exchange, @Nullable String user) implements WebAttributes {
    static ServerWebExchange exchange(Object request) {
        return (ServerWebExchange) request;
    }

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

    /** The address alone, if it is one; else what the server calls the other end. */
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

    /** Asked in the one way that Spring 6 and 7 have in common. */
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
}
