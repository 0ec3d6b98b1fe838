package dev.sluice.server.web;

import io.netty.buffer.ByteBuf;
import io.netty.util.AsciiString;
import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Builds the bytes of a response or of a part of one. One for each event loop, which uses it again and again. */
public final class ByteBuilder {
    private static final int INITIAL = 512;
    private static final int MAX_KEPT = 1 << 16;
    private static final int MAX_DIGITS = 19; // of a long
    private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

    private byte[] bytes = new byte[INITIAL];
    private int length;

    /** Empties it. */
    public ByteBuilder clear() {
        length = 0;
        if (bytes.length > MAX_KEPT) {
            bytes = new byte[INITIAL];
        }
        return this;
    }

    public int length() {
        return length;
    }

    /** Adds text of which every character is ASCII. */
    @SuppressWarnings("deprecation") // it copies ASCII without looking at it
    public ByteBuilder ascii(String text) {
        int count = text.length();
        room(count);
        text.getBytes(0, count, bytes, length);
        length += count;
        return this;
    }

    /** Adds any text. */
    public ByteBuilder utf8(String text) {
        byte[] encoded = text.getBytes(StandardCharsets.UTF_8);
        return raw(encoded, 0, encoded.length);
    }

    ByteBuilder raw(AsciiString text) {
        return raw(text.array(), text.arrayOffset(), text.length());
    }

    ByteBuilder raw(ByteBuilder other) {
        return raw(other.bytes, 0, other.length);
    }

    private ByteBuilder raw(byte[] from, int start, int count) {
        room(count);
        System.arraycopy(from, start, bytes, length, count);
        length += count;
        return this;
    }

    /** Adds what is in it to a buffer. */
    void writeTo(ByteBuf buffer) {
        buffer.writeBytes(bytes, 0, length);
    }

    public ByteBuilder put(char ascii) {
        room(1);
        bytes[length++] = (byte) ascii;
        return this;
    }

    /** Adds a number that is not negative, two digits at a time: that takes half as many divisions. */
    public ByteBuilder number(long value) {
        int digits = digits(value);
        room(digits);
        length += digits;
        int at = length;
        long rest = value;
        while (rest >= 100) {
            long hundreds = rest / 100;
            at -= 2;
            pair((int) (rest - hundreds * 100), at);
            rest = hundreds;
        }
        if (rest >= 10) {
            pair((int) rest, at - 2);
        } else {
            bytes[at - 1] = (byte) ('0' + rest);
        }
        return this;
    }

    private static int digits(long value) {
        int digits = 1;
        for (long bound = 10; digits < MAX_DIGITS && value >= bound; bound *= 10) {
            digits++;
        }
        return digits;
    }

    private void pair(int value, int at) {
        int tens = (value * 103) >> 10; // value / 10, for all below 100
        bytes[at] = (byte) ('0' + tens);
        bytes[at + 1] = (byte) ('0' + value - 10 * tens);
    }

    /** Adds a JSON string, in quotes. */
    public ByteBuilder json(String text) {
        put('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c >= ' ' && c < 0x7f && c != '"' && c != '\\') {
                put(c);
            } else if (c < ' ' || c == '"' || c == '\\' || c == 0x7f) {
                escape(c);
            } else {
                i += character(text, i);
            }
        }
        return put('"');
    }

    /** Adds a character beyond ASCII as UTF-8, or escaped if it is a lone surrogate; how many more chars it took. */
    private int character(String text, int at) {
        int point = text.codePointAt(at);
        if (Character.isBmpCodePoint(point) && Character.isSurrogate((char) point)) {
            escape((char) point);
            return 0;
        }
        byte[] encoded = Character.toString(point).getBytes(StandardCharsets.UTF_8);
        room(encoded.length);
        System.arraycopy(encoded, 0, bytes, length, encoded.length);
        length += encoded.length;
        return Character.charCount(point) - 1;
    }

    private void escape(char c) {
        if (c == '"' || c == '\\') {
            put('\\').put(c);
            return;
        }
        ascii("\\u");
        for (int shift = 12; shift >= 0; shift -= 4) {
            put((char) HEX[(c >> shift) & 0xf]);
        }
    }

    /** The bytes so far, as the value of a header field. */
    AsciiString field() {
        return new AsciiString(bytes, 0, length, true);
    }

    /** The bytes so far, as a body. */
    Buffer body() {
        return Buffer.buffer(length).appendBytes(bytes, 0, length);
    }

    private void room(int more) {
        if (bytes.length - length < more) {
            bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, length + more));
        }
    }

    @Override
    public String toString() {
        return new String(bytes, 0, length, StandardCharsets.UTF_8);
    }
}
