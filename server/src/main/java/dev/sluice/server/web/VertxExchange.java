package dev.sluice.server.web;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.util.AsciiString;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.impl.HttpServerConnection;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A request that Vert.x received: over HTTP/2, or with a body, or one that is not of the usual form. */
public final class VertxExchange implements Exchange {
    private final HttpServerRequest request;
    private final HttpServerResponse response;
    private @Nullable Runnable whenGone;
    private boolean listens;

    public VertxExchange(HttpServerRequest request) {
        this.request = request;
        this.response = request.response();
    }

    @Override
    public String method() {
        return request.method().name();
    }

    @Override
    public String uri() {
        return request.uri();
    }

    @Override
    public String path() {
        return Objects.requireNonNullElse(request.path(), "/");
    }

    @Override
    public MultiMap headers() {
        return request.headers();
    }

    @Override
    public String clientAddress() {
        return request.remoteAddress().hostAddress();
    }

    @Override
    public boolean isGone() {
        return isGone(request);
    }

    /**
     * Whether the client of a request has gone. A connection that was closed tells its requests only at the end of the event
     * loop's turn, and decisions may come before that.
     */
    public static boolean isGone(HttpServerRequest request) {
        return request.response().closed()
                || (request.connection() instanceof HttpServerConnection known
                        && !known.channelHandlerContext().channel().isActive());
    }

    @Override
    public void whenGone(@Nullable Runnable then) {
        whenGone = then;
        if (!listens && then != null) {
            listens = true;
            response.closeHandler(closed -> {
                if (!response.ended()) {
                    lost();
                }
            });
        }
    }

    private void lost() {
        Runnable then = whenGone;
        if (then != null) {
            whenGone = null;
            then.run();
        }
    }

    @Override
    public Exchange status(int status) {
        response.setStatusCode(status);
        return this;
    }

    @Override
    public Exchange field(AsciiString name, String value) {
        response.headers().set(name, value); // each putHeader of a response would take its lock
        return this;
    }

    @Override
    public Exchange field(AsciiString name, ByteBuilder value) {
        response.headers().set(name, value.field());
        return this;
    }

    @Override
    public void end() {
        tellIfLost(response.end());
    }

    @Override
    public void end(ByteBuilder body) {
        if (request.method().equals(HttpMethod.HEAD)) {
            field(HttpHeaderNames.CONTENT_LENGTH, Integer.toString(body.length()))
                    .end();
        } else {
            tellIfLost(response.end(body.body()));
        }
    }

    private void tellIfLost(Future<Void> sent) {
        if (whenGone != null) {
            sent.onFailure(failure -> lost());
        }
    }

    @Override
    public boolean isEnded() {
        return response.ended();
    }
}
