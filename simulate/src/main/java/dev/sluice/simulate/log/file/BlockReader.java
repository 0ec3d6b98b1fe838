package dev.sluice.simulate.log.file;

import dev.sluice.simulate.log.format.ByteSearch;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Reads a file in blocks of whole lines. A line that is too long is passed over and its length counted. If the file cannot
 * be read to its end, the last block says why.
 */
final class BlockReader {
    /** The largest number of bytes of a line. */
    static final int MAX_LINE = 1 << 20;

    private final InputStream in;
    private final int size;
    private byte[] rest = new byte[0];
    private boolean first = true;
    private @Nullable String failure;

    /** A reader of blocks of about {@code size} bytes. */
    BlockReader(InputStream in, int size) {
        this.in = in;
        this.size = size;
    }

    /** The next block. Not to be called after the last. */
    Block read() {
        byte[] bytes = Arrays.copyOf(rest, Math.max(size, rest.length + size / 2));
        int length = rest.length;
        while (true) {
            int count = fill(bytes, length);
            boolean end = length + count < bytes.length;
            length += count;
            int from = first ? byteOrderMark(bytes, length) : 0;
            if (end) {
                rest = new byte[0];
                first = false;
                return new Block(bytes, from, length, 0, true, failure);
            }
            int newline = lastNewline(bytes, length);
            if (newline >= 0) {
                rest = Arrays.copyOfRange(bytes, newline + 1, length);
                first = false;
                return new Block(bytes, from, newline + 1, 0, false, null);
            }
            if (length >= MAX_LINE) {
                first = false;
                return overlong(length);
            }
            bytes = Arrays.copyOf(bytes, Math.min(MAX_LINE, 2 * bytes.length));
        }
    }

    /** Passes over the rest of a line of which {@code length} bytes were read. */
    private Block overlong(long length) {
        byte[] bytes = new byte[size];
        long passed = length;
        while (true) {
            int count = fill(bytes, 0);
            int newline = ByteSearch.indexOf((byte) '\n', bytes, 0, count);
            if (newline < count) {
                rest = Arrays.copyOfRange(bytes, newline + 1, count);
                return new Block(bytes, 0, 0, passed + newline, false, null);
            }
            passed += count;
            if (count < bytes.length) {
                rest = new byte[0];
                return new Block(bytes, 0, 0, passed, true, failure);
            }
        }
    }

    /** Fills an array from {@code from} on; fewer bytes mean the end of the file. */
    private int fill(byte[] bytes, int from) {
        int at = from;
        try {
            while (at < bytes.length) {
                int count = in.read(bytes, at, bytes.length - at);
                if (count < 0) {
                    break;
                }
                at += count;
            }
        } catch (IOException | RuntimeException e) { // a decompressor throws either
            String message = e.getMessage();
            failure = message == null || message.isBlank() ? e.getClass().getSimpleName() : message;
        }
        return at - from;
    }

    private static int lastNewline(byte[] bytes, int length) {
        int at = length - 1;
        while (at >= 0 && bytes[at] != '\n') {
            at--;
        }
        return at;
    }

    private static int byteOrderMark(byte[] bytes, int length) {
        boolean there = length >= 3 && bytes[0] == (byte) 0xEF && bytes[1] == (byte) 0xBB && bytes[2] == (byte) 0xBF;
        return there ? 3 : 0;
    }
}
