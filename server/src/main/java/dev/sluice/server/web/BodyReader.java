package dev.sluice.server.web;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads the bodies of requests, up to a size and within a time. Every port reads its bodies here. One for each event loop,
 * and used by that one alone.
 *
 * <p>The future of a body that is refused fails with the {@link HttpProblem}, and the caller answers with it, in whatever
 * form its protocol has. The rest of such a body is discarded rather than left unread, since closing a connection with
 * unread bytes may destroy the response before the client has read it. When the body ends, or its time is over, the
 * connection is closed (HTTP/1.1) or the stream reset (HTTP/2, where other requests share the connection).
 *
 * <p>All bodies have the same time, so the oldest is the first whose time is over. The unfinished ones are in a list, the
 * oldest first, and one timer for all of them counts their time in ticks: to set and to cancel a timer for each body would
 * cost more than to read it.
 */
public final class BodyReader {
    /** The status for a body that was not complete in time. */
    public static final int TOO_SLOW = 408;
    /** The status for a body that is too large. */
    public static final int TOO_LARGE = 413;
    /** The status for a body beyond the memory of unfinished ones. */
    public static final int NO_ROOM = 503;

    private static final int MAX_DIGITS = 10;
    private static final long NO_ERROR = 0;
    /** In how many ticks of the timer the time of a body is over. */
    private static final int TICKS = 4;

    private final Vertx vertx;
    private final int maxBytes;
    private final long timeoutMillis;
    private final BodyBudget budget;
    private @Nullable Reading oldest;
    private @Nullable Reading newest;
    private boolean ticking;
    private long ticks;

    /**
     * @param maxBytes the longest body
     * @param timeout how long a client may take from the end of the head to the end of the body
     * @param budget the memory of all unfinished bodies
     */
    public BodyReader(Vertx vertx, int maxBytes, Duration timeout, BodyBudget budget) {
        this.vertx = vertx;
        this.maxBytes = maxBytes;
        this.timeoutMillis = timeout.toMillis();
        this.budget = budget;
    }

    /**
     * The whole body. The future fails with an {@link HttpProblem} if the body is too large ({@link #TOO_LARGE}, at once
     * if its length is announced), too slow ({@link #TOO_SLOW}) or one too many ({@link #NO_ROOM}), and with another exception if the client has gone,
     * when there is nobody to answer.
     */
    public Future<Buffer> read(HttpServerRequest request) {
        Reading reading = new Reading(request, soFar -> {});
        String announced = request.getHeader(HttpHeaders.CONTENT_LENGTH);
        if (announced != null && isTooLarge(announced)) {
            return reading.refuse(tooLarge(", this one " + announced));
        }
        if ("100-continue".equalsIgnoreCase(request.getHeader(HttpHeaders.EXPECT))) {
            request.response().writeContinue();
        }
        return reading.body();
    }

    /**
     * The whole body. Each time a part of it arrives, {@code check} sees the body so far. If the check throws, the future
     * fails with that exception and the rest of the body is discarded.
     */
    public Future<Buffer> read(HttpServerRequest request, Consumer<Buffer> check) {
        return new Reading(request, check).body();
    }

    // ---- The time of unfinished bodies

    private void add(Reading reading) {
        Reading last = newest;
        newest = reading;
        if (last == null) {
            oldest = reading;
        } else {
            last.newer = reading;
            reading.older = last;
        }
        if (!ticking) {
            startTick();
        }
    }

    private void remove(Reading reading) {
        if (reading.removed) {
            return;
        }
        reading.removed = true;
        Reading older = reading.older;
        Reading newer = reading.newer;
        if (older == null) {
            oldest = newer;
        } else {
            older.newer = newer;
        }
        if (newer == null) {
            newest = older;
        } else {
            newer.older = older;
        }
        reading.older = null;
        reading.newer = null;
    }

    private void startTick() {
        ticking = true;
        vertx.setTimer(Math.max(1, timeoutMillis / TICKS), due -> tick());
    }

    private void tick() {
        ticking = false;
        ticks++;
        for (Reading first = oldest; first != null && ticks - first.began > TICKS; first = oldest) {
            remove(first);
            first.timeOut();
        }
        if (oldest != null && !ticking) {
            startTick();
        }
    }

    private boolean isTooLarge(String announced) {
        return announced.length() > MAX_DIGITS || Long.parseLong(announced) > maxBytes;
    }

    private HttpProblem tooLarge(String more) {
        return HttpProblem.of(TOO_LARGE, "the body has at most " + maxBytes + " bytes" + more);
    }

    /** The client has gone. It has no stack trace: over HTTP/2 every stream is closed in the end, and most were read. */
    private static final class ClientGone extends RuntimeException {
        private static final long serialVersionUID = 1;

        ClientGone() {
            super("the client has gone", null, false, false);
        }
    }

    private final class Reading {
        private final HttpServerRequest request;
        private final Consumer<Buffer> check;
        private final Promise<Buffer> promise = Promise.promise();
        private final long began = ticks;
        private @Nullable Reading older;
        private @Nullable Reading newer;
        private boolean removed;
        private Buffer body = Buffer.buffer();
        private boolean copied;
        private boolean refused;
        private long taken;

        Reading(HttpServerRequest request, Consumer<Buffer> check) {
            this.request = request;
            this.check = check;
            add(this);
            request.exceptionHandler(this::gone).handler(this::more).endHandler(end -> end());
            request.response().closeHandler(closed -> gone(new ClientGone()));
            take(BodyBudget.OVERHEAD);
        }

        Future<Buffer> body() {
            return promise.future();
        }

        private void more(Buffer part) {
            if (refused) {
                return;
            }
            if (body.length() + part.length() > maxBytes) {
                refuse(tooLarge(""));
                return;
            }
            append(part);
            if (!take(part.length())) {
                return;
            }
            try {
                check.accept(body);
            } catch (RuntimeException e) {
                refuse(e);
            }
        }

        /** Takes memory for the body; without any, refuses it and closes the connection after the response. */
        private boolean take(long more) {
            taken += more;
            if (budget.take(request.connection(), more)) {
                return true;
            }
            refuse(HttpProblem.of(NO_ROOM, "there are too many unfinished bodies"));
            if (request.version() == HttpVersion.HTTP_2) {
                vertx.runOnContext(answered -> request.connection().close());
            }
            return false;
        }

        private void release() {
            if (taken > 0) {
                budget.release(request.connection(), taken);
                taken = 0;
            }
        }

        /** Most bodies come in one part, which is not copied. */
        private void append(Buffer part) {
            if (body.length() == 0) {
                body = part;
            } else {
                body = copied ? body : body.copy();
                copied = true;
                body.appendBuffer(part);
            }
        }

        private void end() {
            remove(this);
            release();
            if (refused) {
                hangUp();
            } else {
                promise.tryComplete(body);
            }
        }

        private void gone(Throwable cause) {
            refused = true; // what still comes of it is not kept
            remove(this);
            release();
            promise.tryFail(cause);
        }

        private void timeOut() {
            if (!refused) {
                refuse(HttpProblem.of(TOO_SLOW, "the body was not complete after " + timeoutMillis + " ms"));
            }
            hangUp();
        }

        /** Fails the future, so that the caller answers. The rest of the body is discarded. */
        Future<Buffer> refuse(RuntimeException reason) {
            refused = true;
            body = Buffer.buffer();
            release();
            if (request.version() != HttpVersion.HTTP_2) { // which has no such header
                request.response().putHeader(HttpHeaders.CONNECTION, HttpHeaders.CLOSE);
            }
            promise.tryFail(reason);
            return promise.future();
        }

        private void hangUp() {
            if (request.version() != HttpVersion.HTTP_2) {
                request.connection().close();
            } else if (!request.isEnded()) {
                request.response().reset(NO_ERROR);
            }
        }
    }
}
