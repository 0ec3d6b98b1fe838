package dev.sluice.server.http;

import io.netty.util.AsciiString;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;

/** What is told of a request that could not be answered: {@code application/problem+json}, as RFC 9457 has it. */
public final class Problem {
    static final String TYPE = "application/problem+json";
    static final AsciiString CONTENT_TYPE = AsciiString.cached("Content-Type");
    static final AsciiString TYPE_FIELD = AsciiString.cached(TYPE);

    private Problem() {}

    /** Answers a request with what is wrong with it. */
    public static void send(HttpServerRequest request, int status, String detail) {
        HttpServerResponse response = request.response();
        if (!response.ended() && !response.closed()) {
            response.setStatusCode(status)
                    .putHeader(CONTENT_TYPE, TYPE_FIELD)
                    .end(write(new Bytes(), status, detail).body());
        }
    }

    /** The same for a method that is not for this path. */
    public static void wrongMethod(HttpServerRequest request, String allowed) {
        request.response().putHeader("Allow", allowed);
        send(request, 405, "only " + allowed + " here, was " + request.method());
    }

    /** The body alone. */
    static String text(int status, String detail) {
        return write(new Bytes(), status, detail).toString();
    }

    private static Bytes write(Bytes bytes, int status, String detail) {
        return bytes.ascii("{\"type\":\"about:blank\",\"title\":")
                .json(title(status))
                .ascii(",\"status\":")
                .number(status)
                .ascii(",\"detail\":")
                .json(detail)
                .put('}')
                .put('\n');
    }

    private static String title(int status) {
        return io.netty.handler.codec.http.HttpResponseStatus.valueOf(status).reasonPhrase();
    }
}
