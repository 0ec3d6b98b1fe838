package dev.sluice.server.admin;

import dev.sluice.Durations;
import dev.sluice.server.record.RecordedLines;
import dev.sluice.server.record.Recorder;
import dev.sluice.server.record.RecorderSettings;
import dev.sluice.server.web.HttpProblem;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import java.util.zip.Deflater;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * {@code GET /v1/recording?last=15m}: the requests that were recorded, as lines of JSON.
 *
 * <p>Lines are made, and compressed, on worker threads, one piece after another, each when the client has taken most of
 * what was sent before. A client that takes nothing for a while is cut off, and so is one that the recording has overtaken.
 */
final class RecordingHandler {
    private static final int MAX_READERS = 4;
    private static final int PIECE = 128 << 10;
    private static final long MAX_STALL_MILLIS = 30_000;
    private static final Pattern GZIP = Pattern.compile(
            "(?:.*,)?\\s*gzip\\s*(?:,.*|;\\s*q\\s*=\\s*(?:1|0\\.\\d{0,2}[1-9]).*)?", Pattern.CASE_INSENSITIVE);

    private final Vertx vertx;
    private final @Nullable Recorder recorder;
    private final AtomicInteger readers = new AtomicInteger();

    RecordingHandler(Vertx vertx, @Nullable Recorder recorder) {
        this.vertx = vertx;
        this.recorder = recorder;
    }

    void handle(AdminRequest request) {
        if (!request.isRead()) {
            request.wrongMethod("GET");
            return;
        }
        if (request.path.size() > 2) {
            request.notFound("there is /v1/recording");
            return;
        }
        if (recorder == null) {
            throw HttpProblem.of(
                    404, "not-recording", "this server does not record requests; start it with --record 64MB");
        }
        String last = request.parameter("last");
        Duration duration = last == null ? recorder.settings().maxAge() : Durations.parse(last);
        if (duration == null || duration.isZero()) {
            throw AdminRequest.badRequest(
                    "last must be " + Durations.EXPECTED + ", was " + HttpProblem.quoted(String.valueOf(last)));
        }
        boolean gzip = acceptsGzip(request.http);
        if (request.http.method().equals(HttpMethod.HEAD)) {
            head(request.http, recorder.settings(), gzip).end();
            return;
        }
        RecordedLines lines = recorder.last(duration); // before the count: what fails here was no reader
        if (readers.incrementAndGet() > MAX_READERS) {
            readers.decrementAndGet();
            throw HttpProblem.of(
                    503, "too-many-readers", "the recording is read by " + MAX_READERS + " at once at most; try again");
        }
        head(request.http, recorder.settings(), gzip);
        new Transfer(request.http, lines, gzip).begin();
    }

    private static boolean acceptsGzip(HttpServerRequest http) {
        String accepted = http.getHeader("Accept-Encoding");
        return accepted != null && GZIP.matcher(accepted).matches();
    }

    /** The head says what the lines have and what they lack. */
    private static HttpServerResponse head(HttpServerRequest http, RecorderSettings settings, boolean gzip) {
        HttpServerResponse response = AdminRequest.secure(http.response())
                .setChunked(true)
                .putHeader("Content-Type", "application/jsonl")
                .putHeader("Vary", "Accept-Encoding")
                .putHeader("Sluice-Recorded-Attributes", String.join(",", settings.attributes()))
                .putHeader("Sluice-Recorded-Share", settings.shareText());
        if (!settings.hashed().isEmpty()) {
            response.putHeader("Sluice-Recorded-Hashed", String.join(",", settings.hashed()));
        }
        return gzip ? response.putHeader("Content-Encoding", "gzip") : response;
    }

    /** One response, piece by piece. All but {@link #piece} is for the event loop of the client. */
    private final class Transfer {
        private final HttpServerRequest request;
        private final HttpServerResponse response;
        private final RecordedLines lines;
        private final ByteArrayOutputStream made = new ByteArrayOutputStream();
        private final byte[] buffer = new byte[PIECE];
        private final boolean gzip;
        private @Nullable FastGzip compressed;
        private boolean making;
        private boolean ended;
        private boolean left;
        private long stall = -1;

        Transfer(HttpServerRequest request, RecordedLines lines, boolean gzip) {
            this.request = request;
            this.response = request.response();
            this.lines = lines;
            this.gzip = gzip;
        }

        void begin() {
            response.closeHandler(gone -> leave());
            response.exceptionHandler(broken -> leave());
            response.drainHandler(drained -> {
                if (stall >= 0 && vertx.cancelTimer(stall)) {
                    stall = -1;
                    next();
                }
            });
            next();
        }

        private void next() {
            making = true;
            vertx.executeBlocking(this::piece, false).onComplete(piece -> {
                making = false;
                if (left) {
                    free();
                } else if (response.closed()) {
                    leave();
                } else if (piece.failed()) {
                    leave();
                    AdminRequest.cutOff(request);
                } else if (ended) {
                    leave();
                    response.end(piece.result());
                } else {
                    response.write(piece.result());
                    waitOrGoOn();
                }
            });
        }

        private void waitOrGoOn() {
            if (response.writeQueueFull()) {
                stall = vertx.setTimer(MAX_STALL_MILLIS, over -> {
                    leave();
                    AdminRequest.cutOff(request);
                });
            } else {
                next();
            }
        }

        /** The next piece; {@link #ended} says whether it is the last. On a worker thread. */
        private Buffer piece() throws IOException {
            if (gzip && compressed == null) {
                compressed = new FastGzip(made);
            }
            OutputStream out = compressed == null ? made : compressed;
            int length = lines.readNBytes(buffer, 0, PIECE);
            out.write(buffer, 0, length);
            if (length < PIECE) {
                out.close();
                ended = true;
            }
            Buffer piece = Buffer.buffer(made.toByteArray());
            made.reset();
            return piece;
        }

        private void leave() {
            if (!left) {
                left = true;
                readers.decrementAndGet();
                vertx.cancelTimer(stall);
                free();
            }
        }

        /** Frees what the compressor has outside of the heap, unless a worker is using it. */
        private void free() {
            if (!making && compressed != null) {
                compressed.free();
            }
        }
    }

    /** Gzip that takes less time than it saves. */
    private static final class FastGzip extends GZIPOutputStream {
        FastGzip(OutputStream out) throws IOException {
            super(out, 8192);
            def.setLevel(Deflater.BEST_SPEED);
        }

        void free() {
            def.end();
        }
    }
}
