package dev.sluice.server.envoy;

import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.MessageLite;
import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;

/**
 * One call of a gRPC method that takes one message and gives one. It is answered once, whatever comes in.
 *
 * <pre>
 *   | compressed? | length, 4 bytes | message |
 * </pre>
 */
final class GrpcCall {
    /** The statuses that are needed here. */
    enum Status {
        INVALID_ARGUMENT(3),
        RESOURCE_EXHAUSTED(8),
        UNIMPLEMENTED(12),
        INTERNAL(13);

        private final String code;

        Status(int code) {
            this.code = Integer.toString(code);
        }
    }

    private static final int PREFIX = 5;
    private static final String TYPE = "application/grpc";
    private static final String HEX = "0123456789ABCDEF";

    private final HttpServerRequest request;
    private @Nullable Buffer read;
    private int parts;
    private boolean answered;

    GrpcCall(HttpServerRequest request) {
        this.request = request;
    }

    /** Waits for the message. A frame that has none is refused. */
    void onMessage(Handler<byte[]> handler) {
        request.exceptionHandler(gone -> answered = true);
        request.handler(this::more);
        request.endHandler(end -> {
            if (!answered) {
                byte[] message = message(read == null ? Buffer.buffer() : read);
                if (message != null) {
                    handler.handle(message);
                }
            }
        });
    }

    private void more(Buffer part) {
        if (answered) {
            return;
        }
        if (read == null) {
            read = part;
        } else {
            read = parts == 1 ? read.copy().appendBuffer(part) : read.appendBuffer(part);
        }
        parts++;
        if (read.length() >= PREFIX && read.getUnsignedInt(1) > RateLimitService.MOST_BYTES) {
            tooLong(read.getUnsignedInt(1));
        } else if (read.length() > PREFIX + RateLimitService.MOST_BYTES) {
            refuse(Status.INVALID_ARGUMENT, "there must be one message, there was more");
        }
    }

    private byte @Nullable [] message(Buffer frame) {
        if (frame.length() < PREFIX) {
            return none("there must be one message, there were " + frame.length() + " bytes");
        }
        long length = frame.getUnsignedInt(1);
        int there = frame.length() - PREFIX;
        if (there != length) {
            return none("there must be one message, of " + length + " bytes as its frame says, there were " + there);
        }
        byte[] message = frame.getBytes(PREFIX, frame.length());
        return switch (frame.getByte(0)) {
            case 0 -> message;
            case 1 -> inflated(message);
            default -> none("a frame begins with 0 or 1, was " + frame.getUnsignedByte(0));
        };
    }

    private byte @Nullable [] inflated(byte[] message) {
        String encoding = request.getHeader("grpc-encoding");
        if (encoding == null || encoding.equals("identity")) {
            return none("the message is said to be compressed, but not how: grpc-encoding is missing");
        }
        if (!encoding.equals("gzip")) {
            request.response().putHeader("grpc-accept-encoding", "gzip");
            refuse(Status.UNIMPLEMENTED, "grpc-encoding must be gzip or identity, was " + encoding);
            return null;
        }
        try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(message))) {
            byte[] plain = in.readNBytes(RateLimitService.MOST_BYTES + 1);
            if (plain.length > RateLimitService.MOST_BYTES) {
                tooLong(plain.length);
                return null;
            }
            return plain;
        } catch (IOException e) {
            return none("the message is not gzip");
        }
    }

    private byte @Nullable [] none(String reason) {
        refuse(Status.INVALID_ARGUMENT, reason);
        return null;
    }

    private void tooLong(long bytes) {
        refuse(
                Status.RESOURCE_EXHAUSTED,
                "a message may have " + RateLimitService.MOST_BYTES + " bytes, this one has " + bytes);
    }

    void answer(MessageLite message) {
        byte[] frame = new byte[PREFIX + message.getSerializedSize()];
        try {
            CodedOutputStream out = CodedOutputStream.newInstance(frame, PREFIX, frame.length - PREFIX);
            message.writeTo(out);
        } catch (IOException e) {
            throw new UncheckedIOException("a message is longer than it says", e);
        }
        send(frame);
    }

    void answer(byte[] message) {
        byte[] frame = new byte[PREFIX + message.length];
        System.arraycopy(message, 0, frame, PREFIX, message.length);
        send(frame);
    }

    private void send(byte[] frame) {
        HttpServerResponse response = begin();
        if (response != null) {
            Buffer buffer = Buffer.buffer(frame).setInt(1, frame.length - PREFIX);
            response.putTrailer("grpc-status", "0").end(buffer);
        }
    }

    void refuse(Status status, String message) {
        HttpServerResponse response = begin();
        if (response != null) {
            response.putHeader("grpc-status", status.code)
                    .putHeader("grpc-message", escaped(message))
                    .end();
        }
    }

    private @Nullable HttpServerResponse begin() {
        HttpServerResponse response = request.response();
        if (answered || response.ended() || response.closed()) {
            return null;
        }
        answered = true;
        return response.putHeader("content-type", TYPE);
    }

    /** A message as the header has it: percent signs for all that is not plain. */
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
