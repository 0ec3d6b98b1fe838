package dev.sluice.spring.web;

import dev.sluice.rules.ClientAddress;
import dev.sluice.rules.Request;
import dev.sluice.rules.match.Address;
import dev.sluice.rules.match.Attributes;
import dev.sluice.spring.RuleAttribute;
import dev.sluice.spring.WebRules;
import io.micrometer.observation.Observation;
import java.security.Principal;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A web request, for servlets and WebFlux alike. */
public interface WebRequestAdapter {
    /** The request, as the stack has it. */
    Object request();

    String method();

    /** The path within the application, as the client sent it: without the context path. */
    String path();

    /** The host, as filters before this one have changed it. */
    @Nullable
    String host();

    /** What came over the connection, whatever the server or filters made of it. */
    Connection connection(WebRules rules);

    @Nullable
    Principal principal();

    /** What is observed of the request; null if nobody does. */
    Observation.@Nullable Context observation();

    /** All values of a header. */
    List<String> headers(String name);

    /** The value that a filter or the application left under this name; null if there is none. */
    @Nullable
    Object attribute(String name);

    void attribute(String name, Object value);

    /**
     * What came over the connection.
     *
     * @param peer the address at the other end
     * @param forwardedFor the values of all headers {@code X-Forwarded-For}
     * @param host the host that the request names; null if it names none, or if no rule needs it
     */
    record Connection(
            String peer,
            List<String> forwardedFor,
            @Nullable String host) {}

    /** The client's address, past the proxies that are trusted. */
    default String ip(WebRules rules) {
        return ip(rules, connection(rules));
    }

    private static String ip(WebRules rules, Connection connection) {
        return ClientAddress.of(rules.trustedProxies(), connection.peer(), connection.forwardedFor());
    }

    /** The request as rules see it. */
    default Request.Builder attributes(WebRules rules) {
        Connection connection = connection(rules);
        Request.Builder request = Request.builder();
        request.with(Attributes.IP, connection.forwardedFor().isEmpty() ? connection.peer() : ip(rules, connection));
        request.with(Attributes.PATH, path());
        request.withNormalized(Attributes.METHOD, method());
        request.withNormalized(WebRules.CALLER, WebRules.WEB);
        if (rules.needsHost()) {
            put(request, Attributes.HOST, isTrusted(rules, connection.peer()) ? host() : connection.host());
        }
        Principal user = rules.needsUser() ? principal() : null;
        put(request, "user", user == null ? null : user.getName());
        List<String> asked = rules.headers();
        for (int i = 0; i < asked.size(); i++) {
            List<String> values = headers(asked.get(i));
            put(request, "header." + asked.get(i), values.isEmpty() ? null : String.join(", ", values));
        }
        List<RuleAttribute<?>> own = rules.attributes();
        for (int i = 0; i < own.size(); i++) {
            put(request, own.get(i).name(), value(own.get(i), user));
        }
        return request;
    }

    /** Whether what a proxy says about the host counts. */
    private static boolean isTrusted(WebRules rules, String peer) {
        Address address = rules.trustedProxies().networks().isEmpty() ? null : Address.parseHost(peer);
        return address != null && rules.trustedProxies().contains(address);
    }

    @SuppressWarnings("unchecked") // a bean for the requests of another stack fails here, and is named
    private @Nullable String value(RuleAttribute<?> attribute, @Nullable Principal user) {
        if (attribute.needsUser() && user == null) {
            return null;
        }
        try {
            return ((RuleAttribute<Object>) attribute).value(request(), attribute.needsUser() ? user : null);
        } catch (RuntimeException e) {
            throw new IllegalStateException(
                    "the attribute '" + attribute.name() + "' of " + method() + " " + path() + " cannot be read", e);
        }
    }

    private static void put(Request.Builder request, String name, @Nullable String value) {
        if (value != null) {
            request.with(name, value);
        }
    }
}
