package dev.sluice.simulate.log.file;

import dev.sluice.simulate.log.LogException;
import io.airlift.compress.MalformedInputException;
import io.airlift.compress.zstd.ZstdInputStream;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.GZIPInputStream;

/** Opens a log: a file or a stream, plain or compressed by gzip or zstd, which its first bytes tell. */
final class LogInput {
    private static final int BUFFER = 64 << 10;

    private LogInput() {}

    /** Opens a log. What is read of the file itself is added to {@code bytesRead}. */
    static InputStream open(String name, Map<String, InputStream> streams, AtomicLong bytesRead) {
        try {
            InputStream stream = streams.get(name);
            InputStream raw = stream == null ? Files.newInputStream(file(name)) : stream;
            return decompressed(new BufferedInputStream(new Counted(raw, bytesRead), BUFFER));
        } catch (IOException e) {
            throw unreadable(name, e);
        }
    }

    /** Whether a log can be read once only: one of the streams, or a pipe that has a name. */
    static boolean isStream(String name, Map<String, InputStream> streams) {
        return streams.containsKey(name) || !Files.isRegularFile(file(name));
    }

    /** What tells a file from others, by whatever name it is given. */
    static Object identity(String name, Map<String, InputStream> streams) {
        try {
            return isStream(name, streams) ? name : file(name).toRealPath();
        } catch (IOException e) {
            throw unreadable(name, e);
        }
    }

    /** The size of a file in bytes; 0 for what can be read once only, which has none. */
    static long size(String name, Map<String, InputStream> streams) {
        if (streams.containsKey(name)) {
            return 0;
        }
        try {
            Path file = file(name);
            if (Files.isDirectory(file)) {
                throw new LogException(name + " is a folder; name the logs in it");
            }
            return isStream(name, streams) ? 0 : Files.size(file);
        } catch (IOException e) {
            throw unreadable(name, e);
        }
    }

    private static LogException unreadable(String name, IOException e) {
        return new LogException(
                e instanceof NoSuchFileException ? "there is no file " + name : name + " cannot be read: " + reason(e),
                e);
    }

    private static String reason(IOException e) {
        if (e instanceof AccessDeniedException) {
            return "permission denied";
        }
        if (e instanceof EOFException) {
            return "it is cut off within the header of gzip";
        }
        String message = e.getMessage();
        return message == null || message.isBlank() ? e.getClass().getSimpleName() : message;
    }

    private static Path file(String name) {
        try {
            return Path.of(name);
        } catch (InvalidPathException e) {
            throw new LogException("not the name of a file: " + name, e);
        }
    }

    private static InputStream decompressed(InputStream in) throws IOException {
        in.mark(4);
        byte[] magic = in.readNBytes(4);
        in.reset();
        if (magic.length >= 2 && magic[0] == 0x1f && magic[1] == (byte) 0x8b) {
            return new Gzip(in);
        }
        boolean zstd = magic.length == 4
                && magic[0] == 0x28
                && magic[1] == (byte) 0xb5
                && magic[2] == 0x2f
                && magic[3] == (byte) 0xfd;
        return zstd ? new Zstd(in) : in;
    }

    /** Gzip of one or more members. Other data after them is an error; the JDK passes over it. */
    private static final class Gzip extends GZIPInputStream {
        private static final int TRAILER = 8;

        Gzip(InputStream in) throws IOException {
            super(in, BUFFER);
        }

        @Override
        public int read(byte[] bytes, int from, int length) throws IOException {
            int read = super.read(bytes, from, length);
            if (read < 0) {
                checkEnd();
            }
            return read;
        }

        /** What was read of the file and not used is the trailer, and zeros that fill up a block. */
        private void checkEnd() throws IOException {
            boolean rest = in.read() > 0;
            for (int i = len - inf.getRemaining() + TRAILER; i < len; i++) {
                rest |= buf[i] != 0;
            }
            if (rest) {
                throw new IOException("what follows the compressed data is not gzip");
            }
        }
    }

    /**
     * Zstd, read in small pieces. Where the file is cut off, the decompressor throws away what it has decoded for the piece
     * that is asked for, and what it keeps back to look up repetitions in.
     */
    private static final class Zstd extends FilterInputStream {
        private static final int PIECE = 256;

        Zstd(InputStream in) throws IOException {
            super(new ZstdInputStream(in));
        }

        @Override
        public int read(byte[] bytes, int from, int length) throws IOException {
            try {
                return in.read(bytes, from, Math.min(length, PIECE));
            } catch (IOException | MalformedInputException e) {
                throw new IOException(
                        "the zstd data is cut off or damaged (" + e.getMessage()
                                + "); zstdcat may read further, as in zstdcat FILE | sluice replay -",
                        e);
            }
        }
    }

    /**
     * Counts what is read. It always claims that more is there: GZIPInputStream takes the end of a member for the end of
     * the file if a pipe has nothing to give at that moment.
     */
    private static final class Counted extends FilterInputStream {
        private final AtomicLong count;

        Counted(InputStream in, AtomicLong count) {
            super(in);
            this.count = count;
        }

        @Override
        public int available() {
            return 1;
        }

        @Override
        public int read() throws IOException {
            int read = in.read();
            count.addAndGet(read < 0 ? 0 : 1);
            return read;
        }

        @Override
        public int read(byte[] bytes, int from, int length) throws IOException {
            int read = in.read(bytes, from, length);
            count.addAndGet(Math.max(0, read));
            return read;
        }
    }
}
