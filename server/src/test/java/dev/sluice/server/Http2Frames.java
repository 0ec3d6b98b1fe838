package dev.sluice.server;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One end of an HTTP/2 connection, frame by frame, for what no client library would send or show. */
final class Http2Frames {
    static final int HEADERS = 1;
    static final int SETTINGS = 4;
    static final int GOAWAY = 7;
    static final int END_STREAM = 1;
    static final int END_HEADERS = 4;

    private static final int MAX_PAYLOAD = 1 << 20;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    /** A frame that was received. */
    record Frame(int type, int flags, int stream, ByteBuffer payload) {
        /** The last stream that a GOAWAY leaves to the client. */
        int lastStream() {
            return payload.getInt(0);
        }
    }

    /** The beginning of a connection, with settings of six bytes each. */
    static Http2Frames connect(byte... settings) {
        Http2Frames frames = new Http2Frames();
        frames.out.writeBytes("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(US_ASCII));
        return frames.add(SETTINGS, 0, 0, settings);
    }

    /** Frames on a connection that is there. */
    static Http2Frames more() {
        return new Http2Frames();
    }

    /** The head of a request, which ends with it if {@code flags} say so. */
    Http2Frames request(int stream, int flags, String method, String path) {
        ByteArrayOutputStream head = new ByteArrayOutputStream();
        field(head, ":method", method);
        field(head, ":scheme", "http");
        field(head, ":authority", "localhost");
        field(head, ":path", path);
        return add(HEADERS, flags | END_HEADERS, stream, head.toByteArray());
    }

    Http2Frames add(int type, int flags, int stream, byte[] payload) {
        ByteBuffer head = ByteBuffer.allocate(9)
                .putInt((payload.length << 8) | type)
                .put((byte) flags)
                .putInt(stream);
        out.writeBytes(head.array());
        out.writeBytes(payload);
        return this;
    }

    byte[] bytes() {
        return out.toByteArray();
    }

    /** The next frame; null at the end. */
    static @Nullable Frame next(InputStream from) throws IOException {
        DataInputStream in = new DataInputStream(from);
        byte[] head = new byte[9];
        try {
            in.readFully(head);
        } catch (EOFException e) {
            return null;
        }
        ByteBuffer fields = ByteBuffer.wrap(head);
        int lengthAndType = fields.getInt();
        int flags = fields.get();
        int stream = fields.getInt();
        int length = lengthAndType >>> 8;
        if (length > MAX_PAYLOAD) {
            throw new IOException("a frame of " + length + " bytes");
        }
        byte[] payload = new byte[length];
        in.readFully(payload);
        return new Frame(lengthAndType & 0xff, flags, stream, ByteBuffer.wrap(payload));
    }

    /** A header field as a literal that is not indexed. */
    private static void field(ByteArrayOutputStream head, String name, String value) {
        head.write(0);
        for (String each : List.of(name, value)) {
            head.write(each.length());
            head.writeBytes(each.getBytes(US_ASCII));
        }
    }
}
