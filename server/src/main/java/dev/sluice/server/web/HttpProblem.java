package dev.sluice.server.web;

import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.util.AsciiString;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonObject;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Why a request is refused, as {@code application/problem+json} (RFC 9457). It can be sent, or thrown where no request is
 * at hand; it has no stack trace, since it is a response and not a fault.
 */
public final class HttpProblem extends RuntimeException {
    /** The media type. */
    public static final String MEDIA_TYPE = "application/problem+json";

    private static final long serialVersionUID = 1;
    private static final int MAX_SHOWN = 60;
    private static final AsciiString CONTENT_TYPE = AsciiString.cached("Content-Type");
    private static final AsciiString ALLOW = AsciiString.cached("Allow");

    private final int status;
    private final transient JsonObject body;
    private final transient Map<AsciiString, String> fields = new LinkedHashMap<>(0);

    private HttpProblem(int status, String type, String title, String detail) {
        super(detail, null, false, false);
        this.status = status;
        this.body = new JsonObject()
                .put("type", type)
                .put("title", title)
                .put("status", status)
                .put("detail", detail);
    }

    /** A problem that its status describes: its type is {@code about:blank} and its title the status in words. */
    public static HttpProblem of(int status, String detail) {
        String title = HttpResponseStatus.valueOf(status).reasonPhrase();
        return new HttpProblem(status, "about:blank", title, detail);
    }

    /** A problem with a type of its own, {@code urn:sluice:type}, by which programs can tell it from others. */
    public static HttpProblem of(int status, String type, String detail) {
        return new HttpProblem(status, "urn:sluice:" + type, type.replace('-', ' '), detail);
    }

    /** A request with a mistake in it: status 400. */
    public static HttpProblem badRequest(String detail) {
        return of(400, detail);
    }

    /** Adds a member to the body. */
    public HttpProblem with(String name, Object value) {
        body.put(name, value);
        return this;
    }

    /** Adds a header field. */
    public HttpProblem field(AsciiString name, String value) {
        fields.put(name, value);
        return this;
    }

    public int status() {
        return status;
    }

    /** The members of the body. */
    public JsonObject body() {
        return body.copy();
    }

    /** The body as text. */
    public String text() {
        return body.encode() + "\n";
    }

    /** Answers a request with this problem, unless it has been answered or its client has gone. */
    public void send(HttpServerRequest request) {
        send(new VertxExchange(request));
    }

    /** Answers a request with this problem, unless it has been answered or its client has gone. */
    public void send(Exchange exchange) {
        if (exchange.isEnded() || exchange.isGone()) {
            return;
        }
        exchange.status(status);
        fields.forEach(exchange::field);
        exchange.field(CONTENT_TYPE, MEDIA_TYPE);
        exchange.end(new ByteBuilder().utf8(text()));
    }

    /** Answers a request whose method the path does not have. */
    public static void sendWrongMethod(HttpServerRequest request, String allowed) {
        of(405, "only " + allowed + " here, was " + request.method())
                .field(ALLOW, allowed)
                .send(request);
    }

    /** A value that a client sent, in quotes, and cut so that a message stays short. */
    public static String quoted(String value) {
        return value.length() <= MAX_SHOWN ? "'" + value + "'" : "'" + value.substring(0, MAX_SHOWN) + "…'";
    }
}
