package dev.sluice.server.web;

import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import java.time.Duration;

/** Gathers the bodies of requests, which may be neither too long nor too slow. */
public final class BodyReader {
    private final Vertx vertx;
    private final int maxBytes;
    private final long timeoutMillis;

    public BodyReader(Vertx vertx, int maxBytes, Duration timeout) {
        this.vertx = vertx;
        this.maxBytes = maxBytes;
        this.timeoutMillis = timeout.toMillis();
    }

    /** Hands over the whole body, or refuses the request; then nothing is handed over. */
    public void read(HttpServerRequest request, Handler<Buffer> whole) {
        String announced = request.getHeader(HttpHeaders.CONTENT_LENGTH);
        if (announced != null && tooLong(announced)) {
            refuse(request, 413, "the body has at most " + maxBytes + " bytes, this one " + announced);
            return;
        }
        if ("100-continue".equalsIgnoreCase(request.getHeader(HttpHeaders.EXPECT))) {
            request.response().writeContinue();
        }
        new Body(request, whole).begin();
    }

    private boolean tooLong(String announced) {
        return announced.length() > 10 || Long.parseLong(announced) > maxBytes;
    }

    /** Says what is wrong and hangs up: the rest of the body is not wanted. */
    private static void refuse(HttpServerRequest request, int status, String detail) {
        if (request.version() != HttpVersion.HTTP_2) { // which has no such header
            request.response().putHeader(HttpHeaders.CONNECTION, HttpHeaders.CLOSE);
        }
        HttpProblem.of(status, detail).send(request);
        request.connection().close();
    }

    private final class Body {
        private final HttpServerRequest request;
        private final Handler<Buffer> whole;
        private final Buffer gathered = Buffer.buffer();
        private long timer = -1;
        private boolean over;

        Body(HttpServerRequest request, Handler<Buffer> whole) {
            this.request = request;
            this.whole = whole;
        }

        void begin() {
            request.exceptionHandler(gone -> end());
            request.handler(this::more);
            request.endHandler(done -> {
                if (end()) {
                    whole.handle(gathered);
                }
            });
            timer = vertx.setTimer(timeoutMillis, late -> {
                if (end()) {
                    refuse(request, 408, "the body was not complete after " + timeoutMillis + " ms");
                }
            });
        }

        private void more(Buffer part) {
            if (!over && gathered.length() + part.length() > maxBytes) {
                end();
                refuse(request, 413, "the body has at most " + maxBytes + " bytes");
            } else if (!over) {
                gathered.appendBuffer(part);
            }
        }

        /** Whether this is the end, and was not before. */
        private boolean end() {
            boolean first = !over;
            over = true;
            vertx.cancelTimer(timer);
            return first;
        }
    }
}
