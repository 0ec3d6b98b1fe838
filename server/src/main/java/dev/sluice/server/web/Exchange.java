package dev.sluice.server.web;

import io.netty.util.AsciiString;
import io.vertx.core.MultiMap;
import org.jspecify.annotations.Nullable;

/**
 * A request and its response. One event loop does all of it.
 *
 * <p>A response is made in this order: its status, its header fields, and its end; and at one go, since the exchanges of an
 * event loop share the place where its bytes gather. Values of fields are ASCII without control characters; nothing checks
 * them.
 */
public interface Exchange {
    String method();

    /** The target of the request: path and query, as the client sent them. */
    String uri();

    /** The target without its query. */
    String path();

    MultiMap headers();

    /** The address of the client of this connection. */
    String clientAddress();

    /** Whether the client has gone, so that nobody gets a response. */
    boolean isGone();

    /**
     * Calls this, at most once, if the client goes before its response is there, or if that cannot be sent. It replaces what
     * was given before; null for nothing.
     */
    void whenGone(@Nullable Runnable then);

    /** Begins the response. */
    Exchange status(int status);

    /** Adds a header field. */
    Exchange field(AsciiString name, String value);

    /** Adds a header field with what is in {@code value} now. */
    Exchange field(AsciiString name, ByteBuilder value);

    /** Sends the response without a body. */
    void end();

    /** Sends the response with this body. */
    void end(ByteBuilder body);

    /** Whether the response was sent. */
    boolean isEnded();
}
