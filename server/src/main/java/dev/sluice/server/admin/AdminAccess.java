package dev.sluice.server.admin;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.server.web.HttpProblem;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.HostAndPort;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.LongAdder;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Decides who may use the admin port.
 *
 * <p>Why more than a token is checked: without a token everybody on this machine may use the port, and so may a page in a
 * browser on it. A page of another site gets here by a host name of its own that resolves to 127.0.0.1 (the Host header
 * shows that), or by a request across origins (the Origin header shows that, or the content types that a page may send
 * without asking first).
 */
public final class AdminAccess {
    private static final Pattern LOOPBACK =
            Pattern.compile("localhost|127(?:\\.\\d{1,3}){3}|\\[?::1]?", Pattern.CASE_INSENSITIVE);

    /** A field for each: of several in one field, Chromium reads the first, and asks nobody for a password. */
    private static final List<String> CHALLENGES = List.of("Bearer realm=\"sluice\"", "Basic realm=\"sluice\"");

    private final AdminTokens tokens;
    final LongAdder refused = new LongAdder();

    /**
     * Who made a request.
     *
     * @param name the name of the token; {@code local} where none is needed
     * @param peer the address that the connection comes from
     */
    record Caller(String name, String peer) {
        @Override
        public String toString() {
            return name + "@" + peer;
        }
    }

    AdminAccess(AdminTokens tokens) {
        this.tokens = tokens;
    }

    /**
     * Checks that an admin port that other machines can reach has a token.
     *
     * @throws IllegalArgumentException if it has none
     */
    public static void requireSafe(String host, AdminTokens tokens) {
        if (tokens.isEmpty() && !isLoopback(host)) {
            throw new IllegalArgumentException(
                    "the admin port would listen on " + host
                            + ", where others can reach it, and has no token: set one with --admin-token-file, or listen on 127.0.0.1");
        }
    }

    /** The caller; null if they may not use the port, and then the request has been answered. */
    @Nullable
    Caller authenticate(HttpServerRequest request) {
        String name = tokens.isEmpty() ? local(request) : named(request);
        if (name == null || !(isRead(request) || isOfThisSite(request))) {
            refused.increment();
            return null;
        }
        return new Caller(
                name,
                request.remoteAddress() == null ? "?" : request.remoteAddress().hostAddress());
    }

    static boolean isRead(HttpServerRequest request) {
        return request.method().equals(HttpMethod.GET) || request.method().equals(HttpMethod.HEAD);
    }

    private static @Nullable String local(HttpServerRequest request) {
        HostAndPort host = request.authority();
        if (host != null && LOOPBACK.matcher(host.host()).matches()) {
            return "local";
        }
        AdminRequest.send(
                request,
                HttpProblem.of(
                        403,
                        "forbidden",
                        "without a token, call the admin port by localhost or 127.0.0.1, not by "
                                + (host == null ? "no name" : "'" + host.host() + "'")));
        return null;
    }

    private @Nullable String named(HttpServerRequest request) {
        String token = token(request.getHeader("Authorization"));
        String name = token == null ? null : tokens.nameOf(token);
        if (name == null) {
            request.response().putHeader("WWW-Authenticate", CHALLENGES);
            AdminRequest.send(
                    request,
                    HttpProblem.of(
                            401,
                            "unauthorized",
                            token == null
                                    ? "a token is needed: Authorization: Bearer <token>"
                                    : "this token is not known here"));
        }
        return name;
    }

    /** The Bearer token, or the password of Basic, since a browser can ask its user for that. */
    private static @Nullable String token(@Nullable String header) {
        int space = header == null ? -1 : header.indexOf(' ');
        if (header == null || space < 0) {
            return null;
        }
        String value = header.substring(space + 1).strip();
        return switch (header.substring(0, space).toLowerCase(Locale.ROOT)) {
            case "bearer" -> value;
            case "basic" -> password(value);
            default -> null;
        };
    }

    private static @Nullable String password(String basic) {
        try {
            String login = new String(Base64.getDecoder().decode(basic), UTF_8);
            int colon = login.indexOf(':');
            return colon < 0 ? null : login.substring(colon + 1);
        } catch (IllegalArgumentException notBase64) {
            return null;
        }
    }

    /** Whether a change is asked for by this server's own pages or by no page at all; if not, it has been refused. */
    private static boolean isOfThisSite(HttpServerRequest request) {
        String origin = request.getHeader("Origin");
        String site = request.getHeader("Sec-Fetch-Site");
        HostAndPort host = request.authority();
        boolean sameOrigin = origin == null || (host != null && isSameOrigin(origin, host));
        if (sameOrigin && (site == null || site.equals("same-origin") || site.equals("none"))) {
            return true;
        }
        AdminRequest.send(
                request,
                HttpProblem.of(
                        403,
                        "forbidden",
                        "a page of another site may change nothing here"
                                + (origin == null ? "" : " (Origin: " + HttpProblem.quoted(origin) + ")")));
        return false;
    }

    private static boolean isSameOrigin(String origin, HostAndPort host) {
        int slashes = origin.indexOf("://");
        return slashes >= 0 && origin.substring(slashes + 3).equalsIgnoreCase(host.toString());
    }

    private static boolean isLoopback(String host) {
        try {
            return Stream.of(InetAddress.getAllByName(host)).allMatch(InetAddress::isLoopbackAddress);
        } catch (UnknownHostException e) {
            return false;
        }
    }
}
