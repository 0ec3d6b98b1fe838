package dev.sluice.server.web;

import io.vertx.core.Handler;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Makes clients move to another server when this one is about to stop. From then on each response over HTTP/1.1 says {@code
 * Connection: close} and ends its connection, and each connection of HTTP/2 gets a GOAWAY. All ports share one.
 *
 * <p>The GOAWAY names the largest number of a stream, so that requests on their way are served. A connection that is opened
 * later gets it with its first request: a client that gets it sooner might give up the connection before it has asked.
 */
public final class ConnectionDrain {
    private static final long NO_ERROR = 0;

    /** Connections of HTTP/2 that have had no GOAWAY. */
    private final Set<HttpConnection> staying = ConcurrentHashMap.newKeySet();

    private volatile boolean draining;

    /** Makes the clients move from now on. */
    public void begin() {
        draining = true;
        staying.forEach(this::sendAway);
    }

    public boolean isDraining() {
        return draining;
    }

    /** Learns of a connection that was opened. */
    public void opened(HttpConnection connection) {
        boolean isHttp2 = connection.getWindowSize() >= 0;
        if (isHttp2) {
            connection.closeHandler(closed -> staying.remove(connection));
            staying.add(connection);
        }
    }

    private void sendAway(HttpConnection connection) {
        if (staying.remove(connection)) {
            connection.goAway(NO_ERROR, Integer.MAX_VALUE);
        }
    }

    /** Passes on requests over HTTP/1.1 to one handler and those over HTTP/2 to another. */
    public Handler<HttpServerRequest> around(Handler<HttpServerRequest> http1, Handler<HttpServerRequest> http2) {
        return request -> {
            if (request.version() == HttpVersion.HTTP_2) {
                if (draining) {
                    sendAway(request.connection());
                }
                http2.handle(request);
            } else {
                handle(request, http1);
            }
        };
    }

    private void handle(HttpServerRequest request, Handler<HttpServerRequest> handler) {
        HttpServerResponse response = request.response();
        boolean began = draining;
        if (began) {
            response.putHeader(HttpHeaders.CONNECTION, HttpHeaders.CLOSE)
                    .endHandler(sent -> request.connection().close());
        }
        handler.handle(request);
        if (!began && !response.ended()) { // it may begin before the response is there
            response.headersEndHandler(ready -> {
                        if (draining) {
                            response.headers().set(HttpHeaders.CONNECTION, HttpHeaders.CLOSE);
                        }
                    })
                    .endHandler(sent -> {
                        if (draining) {
                            request.connection().close();
                        }
                    });
        }
    }
}
