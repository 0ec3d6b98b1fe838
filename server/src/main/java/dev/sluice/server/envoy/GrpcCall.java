package dev.sluice.server.envoy;

import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.MessageLite;
import dev.sluice.server.web.BodyReader;
import dev.sluice.server.web.HttpProblem;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;

/**
 * One call of a gRPC method with one message in and one out. It is answered once, whatever the client sends.
 *
 * <pre>
 *   | compressed? | length, 4 bytes | message |
 * </pre>
 */
final class GrpcCall {
    /** The statuses that are needed here. */
    enum Status {
        INVALID_ARGUMENT(3),
        DEADLINE_EXCEEDED(4),
        RESOURCE_EXHAUSTED(8),
        UNIMPLEMENTED(12),
        INTERNAL(13);

        private final int code;

        Status(int code) {
            this.code = code;
        }
    }

    /** Why a call fails. */
    private static final class Failure extends RuntimeException {
        private static final long serialVersionUID = 1;

        private final Status status;

        Failure(Status status, String message) {
            super(message, null, false, false);
            this.status = status;
        }

        static Failure invalid(String message) {
            return new Failure(Status.INVALID_ARGUMENT, message);
        }

        static Failure tooLong(long bytes) {
            return new Failure(
                    Status.RESOURCE_EXHAUSTED,
                    "a message may have " + RateLimitService.MAX_MESSAGE_BYTES + " bytes, this one has " + bytes);
        }
    }

    private static final int PREFIX = 5;
    private static final String TYPE = "application/grpc";
    private static final String HEX = "0123456789ABCDEF";

    /** The longest frame. */
    static final int MAX_FRAME_BYTES = PREFIX + RateLimitService.MAX_MESSAGE_BYTES;

    private final HttpServerRequest request;
    private final GrpcStatuses statuses;

    GrpcCall(HttpServerRequest request, GrpcStatuses statuses) {
        this.request = request;
        this.statuses = statuses;
    }

    HttpServerRequest request() {
        return request;
    }

    /** Passes on the message, or fails the call if its frame has none. */
    void read(BodyReader bodies, Handler<byte[]> handler) {
        bodies.read(request, GrpcCall::checkLength).map(this::message).onComplete(read -> {
            if (read.succeeded()) {
                handler.handle(read.result());
            } else if (read.cause() instanceof Failure failure) {
                fail(failure.status, String.valueOf(failure.getMessage()));
            } else if (read.cause() instanceof HttpProblem problem) {
                fail(problem);
            }
        });
    }

    private void fail(HttpProblem problem) {
        if (problem.status() == BodyReader.TOO_SLOW) {
            fail(Status.DEADLINE_EXCEEDED, String.valueOf(problem.getMessage()));
        } else if (problem.status() == BodyReader.NO_ROOM) {
            fail(Status.RESOURCE_EXHAUSTED, String.valueOf(problem.getMessage()));
        } else {
            fail(Status.INVALID_ARGUMENT, "there must be one message, there was more");
        }
    }

    /** How long the client waits, by its header {@code grpc-timeout}; null if it does not say, or not so that it is clear. */
    @Nullable
    Duration deadline() {
        String text = request.getHeader("grpc-timeout");
        if (text == null || !text.matches("[0-9]{1,8}[HMSmun]")) {
            return null;
        }
        long amount = Long.parseLong(text.substring(0, text.length() - 1));
        return switch (text.charAt(text.length() - 1)) {
            case 'H' -> Duration.ofHours(amount);
            case 'M' -> Duration.ofMinutes(amount);
            case 'S' -> Duration.ofSeconds(amount);
            case 'm' -> Duration.ofMillis(amount);
            case 'u' -> Duration.of(amount, ChronoUnit.MICROS);
            default -> Duration.ofNanos(amount);
        };
    }

    /** Fails early, on the first bytes of a frame. */
    private static void checkLength(Buffer begin) {
        if (begin.length() >= PREFIX && begin.getUnsignedInt(1) > RateLimitService.MAX_MESSAGE_BYTES) {
            throw Failure.tooLong(begin.getUnsignedInt(1));
        }
    }

    private byte[] message(Buffer frame) {
        if (frame.length() < PREFIX) {
            throw Failure.invalid("there must be one message, there were " + frame.length() + " bytes");
        }
        long length = frame.getUnsignedInt(1);
        int rest = frame.length() - PREFIX;
        if (rest != length) {
            throw Failure.invalid(
                    "there must be one message, of " + length + " bytes as its frame says, there were " + rest);
        }
        byte[] message = frame.getBytes(PREFIX, frame.length());
        return switch (frame.getByte(0)) {
            case 0 -> message;
            case 1 -> inflated(message);
            default -> throw Failure.invalid("a frame begins with 0 or 1, was " + frame.getUnsignedByte(0));
        };
    }

    private byte[] inflated(byte[] message) {
        String encoding = request.getHeader("grpc-encoding");
        if (encoding == null || encoding.equals("identity")) {
            throw Failure.invalid("the message is said to be compressed, but not how: grpc-encoding is missing");
        }
        if (!encoding.equals("gzip")) {
            request.response().putHeader("grpc-accept-encoding", "gzip");
            throw new Failure(Status.UNIMPLEMENTED, "grpc-encoding must be gzip or identity, was " + encoding);
        }
        try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(message))) {
            byte[] plain = in.readNBytes(RateLimitService.MAX_MESSAGE_BYTES + 1);
            if (plain.length > RateLimitService.MAX_MESSAGE_BYTES) {
                throw Failure.tooLong(plain.length);
            }
            return plain;
        } catch (IOException e) {
            throw Failure.invalid("the message is not gzip");
        }
    }

    Future<Void> respond(MessageLite message) {
        byte[] frame = new byte[PREFIX + message.getSerializedSize()];
        try {
            CodedOutputStream out = CodedOutputStream.newInstance(frame, PREFIX, frame.length - PREFIX);
            message.writeTo(out);
        } catch (IOException e) {
            throw new UncheckedIOException("a message is longer than its size says", e);
        }
        return send(frame);
    }

    void respond(byte[] message) {
        byte[] frame = new byte[PREFIX + message.length];
        System.arraycopy(message, 0, frame, PREFIX, message.length);
        send(frame);
    }

    private Future<Void> send(byte[] frame) {
        HttpServerResponse response = begin();
        if (response == null) {
            return Future.failedFuture("the client has gone");
        }
        Buffer buffer = Buffer.buffer(frame).setInt(1, frame.length - PREFIX);
        statuses.count(0);
        return response.putTrailer("grpc-status", "0").end(buffer);
    }

    void fail(Status status, String message) {
        HttpServerResponse response = begin();
        if (response != null) {
            response.putHeader("grpc-status", Integer.toString(status.code))
                    .putHeader("grpc-message", escaped(message))
                    .end();
            statuses.count(status.code);
        }
    }

    private @Nullable HttpServerResponse begin() {
        HttpServerResponse response = request.response();
        return response.ended() || response.closed() ? null : response.putHeader("content-type", TYPE);
    }

    /** A message as its header has it: printable ASCII, with everything else as percent signs and digits. */
    private static String escaped(String message) {
        StringBuilder escaped = new StringBuilder();
        for (byte b : message.getBytes(StandardCharsets.UTF_8)) {
            if (b >= ' ' && b < 0x7f && b != '%') {
                escaped.append((char) b);
            } else {
                escaped.append('%').append(HEX.charAt((b >> 4) & 0xf)).append(HEX.charAt(b & 0xf));
            }
        }
        return escaped.toString();
    }
}
