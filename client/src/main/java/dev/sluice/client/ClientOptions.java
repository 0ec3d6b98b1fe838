package dev.sluice.client;

import java.time.Duration;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * The options of a {@link SluiceClient}.
 *
 * <pre>{@code
 * ClientOptions.defaults().timeout(Duration.ofMillis(50)).onFailure(FailurePolicy.DENY)
 * }</pre>
 */
public final class ClientOptions {
    private static final Duration MAX_TIMEOUT = Duration.ofMinutes(1);
    private static final int MAX_CONNECTIONS = 10_000;
    private static final ClientOptions DEFAULTS =
            new ClientOptions(Duration.ofMillis(200), FailurePolicy.ALLOW, 100, null, null);

    private final Duration timeout;
    private final FailurePolicy onFailure;
    private final int maxConnections;
    private final @Nullable String token;
    private final @Nullable SSLContext ssl;

    private ClientOptions(
            Duration timeout,
            FailurePolicy onFailure,
            int maxConnections,
            @Nullable String token,
            @Nullable SSLContext ssl) {
        this.timeout = timeout;
        this.onFailure = onFailure;
        this.maxConnections = maxConnections;
        this.token = token;
        this.ssl = ssl;
    }

    /** A timeout of 200 ms, {@link FailurePolicy#ALLOW}, 100 connections, no token, the JDK's certificates. */
    public static ClientOptions defaults() {
        return DEFAULTS;
    }

    /** How long the server may take to answer, from 1 ms to a minute. After that the failure policy decides. */
    public ClientOptions timeout(Duration time) {
        if (time.toMillis() < 1 || time.compareTo(MAX_TIMEOUT) > 0) {
            throw new IllegalArgumentException("timeout must be from PT0.001S to " + MAX_TIMEOUT + ", was " + time);
        }
        return new ClientOptions(time, onFailure, maxConnections, token, ssl);
    }

    /** What decides when the server gives no answer. */
    public ClientOptions onFailure(FailurePolicy policy) {
        return new ClientOptions(timeout, policy, maxConnections, token, ssl);
    }

    /** How many connections there are at most. Calls beyond them wait for one, within the timeout. */
    public ClientOptions maxConnections(int max) {
        if (max < 1 || max > MAX_CONNECTIONS) {
            throw new IllegalArgumentException("maxConnections must be from 1 to " + MAX_CONNECTIONS + ", was " + max);
        }
        return new ClientOptions(timeout, onFailure, max, token, ssl);
    }

    /** A token to send as {@code Authorization: Bearer …}, for a proxy in front of the server that asks for one. */
    public ClientOptions token(String bearer) {
        if (!bearer.matches("[\\x21-\\x7e]+")) { // the message must not show it
            throw new IllegalArgumentException(
                    "a token has visible ASCII characters and no spaces, this one has another, or is empty");
        }
        return new ClientOptions(timeout, onFailure, maxConnections, bearer, ssl);
    }

    /** The certificates for {@code https}: whom to trust, and for mutual TLS the client's own. */
    public ClientOptions ssl(SSLContext context) {
        return new ClientOptions(timeout, onFailure, maxConnections, token, context);
    }

    Duration timeout() {
        return timeout;
    }

    FailurePolicy onFailure() {
        return onFailure;
    }

    int maxConnections() {
        return maxConnections;
    }

    @Nullable
    String token() {
        return token;
    }

    @Nullable
    SSLContext ssl() {
        return ssl;
    }
}
