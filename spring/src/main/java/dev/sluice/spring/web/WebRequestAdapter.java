package dev.sluice.spring.web;

import dev.sluice.rules.ClientAddress;
import dev.sluice.rules.Request;
import dev.sluice.spring.WebRules;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A web request, for servlets and WebFlux alike. */
interface WebRequestAdapter {
    String method();

    /** The path as the client sent it. */
    String path();

    @Nullable
    String host();

    /** The address at the other end of the connection. */
    String peer();

    @Nullable
    String user();

    /** All values of a header. */
    List<String> headers(String name);

    /** The value that a filter or the application left under this name; null if there is none. */
    @Nullable
    Object attribute(String name);

    void attribute(String name, Object value);

    /** The request as rules see it. */
    default Request.Builder request(WebRules rules) {
        Request.Builder request = Request.builder();
        request.with("ip", ClientAddress.of(rules.trustedProxies(), peer(), headers("X-Forwarded-For")));
        request.with("path", path());
        request.with("method", method());
        put(request, "host", host());
        put(request, "user", rules.needsUser() ? user() : null);
        List<String> asked = rules.headers();
        for (int i = 0; i < asked.size(); i++) {
            List<String> values = headers(asked.get(i));
            put(request, "header." + asked.get(i), values.isEmpty() ? null : String.join(", ", values));
        }
        return request;
    }

    private static void put(Request.Builder request, String name, @Nullable String value) {
        if (value != null) {
            request.with(name, value);
        }
    }
}
