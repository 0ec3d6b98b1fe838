package dev.sluice.rules;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** Reads files of a bounded size. Folders, devices and pipes are refused, since reading one may never end. */
public final class RegularFile {
    private RegularFile() {}

    /**
     * The content of a file.
     *
     * @throws IOException if it cannot be read, is not a regular file, or has more than {@code maxBytes}
     */
    public static byte[] read(Path file, int maxBytes) throws IOException {
        check(file, maxBytes);
        try (InputStream content = Files.newInputStream(file)) {
            byte[] bytes = content.readNBytes(maxBytes + 1);
            if (bytes.length > maxBytes) { // it has grown, or its size is not known
                throw tooLarge("more than " + maxBytes, maxBytes);
            }
            return bytes;
        }
    }

    /**
     * The size of a file.
     *
     * @throws IOException if it is not a regular file, or has more than {@code maxBytes}
     */
    static long check(Path file, long maxBytes) throws IOException {
        if (!Files.exists(file)) {
            throw new NoSuchFileException(file.toString());
        }
        if (!Files.isRegularFile(file)) {
            throw new IOException("not a regular file" + (Files.isDirectory(file) ? ", but a folder" : ""));
        }
        long size = Files.size(file);
        if (size > maxBytes) {
            throw tooLarge(Long.toString(size), maxBytes);
        }
        return size;
    }

    private static IOException tooLarge(String bytes, long maxBytes) {
        return new IOException("too large: " + bytes + " bytes, at most " + maxBytes);
    }
}
