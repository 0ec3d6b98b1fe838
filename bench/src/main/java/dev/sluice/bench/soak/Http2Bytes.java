package dev.sluice.bench.soak;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;

/** Frames of HTTP/2, written by hand: no client would send what is needed here. */
final class Http2Bytes {
    private static final int DATA = 0;
    private static final int HEADERS = 1;
    private static final int RST_STREAM = 3;
    private static final int SETTINGS = 4;
    private static final int END_HEADERS = 4;
    private static final int CANCEL = 8;

    private Http2Bytes() {}

    /** What a client sends first. */
    static byte[] preface() {
        byte[] magic = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(US_ASCII);
        byte[] settings = frame(SETTINGS, 0, 0, new byte[0]);
        return ByteBuffer.allocate(magic.length + settings.length)
                .put(magic)
                .put(settings)
                .array();
    }

    /** The head of a request whose body has not come yet. */
    static byte[] head(int stream, String method, String path, String type) {
        ByteArrayOutputStream block = new ByteArrayOutputStream();
        field(block, ":method", method);
        field(block, ":scheme", "http");
        field(block, ":path", path);
        field(block, ":authority", "localhost");
        field(block, "content-type", type);
        field(block, "te", "trailers");
        return frame(HEADERS, END_HEADERS, stream, block.toByteArray());
    }

    /** A part of a body that is not the last. */
    static byte[] data(int stream, byte[] part) {
        return frame(DATA, 0, stream, part);
    }

    /** The client is not interested any more. */
    static byte[] reset(int stream) {
        return frame(
                RST_STREAM,
                0,
                stream,
                ByteBuffer.allocate(Integer.BYTES).putInt(CANCEL).array());
    }

    /** A frame of any kind. */
    static byte[] frame(int type, int flags, int stream, byte[] payload) {
        return ByteBuffer.allocate(9 + payload.length)
                .put((byte) (payload.length >> 16))
                .putShort((short) payload.length)
                .put((byte) type)
                .put((byte) flags)
                .putInt(stream)
                .put(payload)
                .array();
    }

    /** Literal, not indexed, not compressed. */
    private static void field(ByteArrayOutputStream block, String name, String value) {
        block.write(0);
        block.write(name.length());
        block.writeBytes(name.getBytes(US_ASCII));
        block.write(value.length());
        block.writeBytes(value.getBytes(US_ASCII));
    }
}
