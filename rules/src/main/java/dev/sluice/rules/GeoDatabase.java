package dev.sluice.rules;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import com.maxmind.db.CHMCache;
import com.maxmind.db.Reader;
import dev.sluice.rules.match.Address;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Countries by address, from a MaxMind database file. The file is read into memory, so that it can be replaced while
 * the database is in use.
 */
public final class GeoDatabase {
    private static final long MAX_BYTES = 1 << 30;
    /** Where the metadata begin, and the largest number of bytes that they may take. */
    private static final String METADATA = "\u00AB\u00CD\u00EFMaxMind.com";

    private static final int METADATA_BYTES = 128 << 10;

    private final Path file;
    private final Reader reader;

    private GeoDatabase(Path file, Reader reader) {
        this.file = file;
        this.reader = reader;
    }

    /**
     * Reads a database file.
     *
     * @throws IOException if it cannot be read, is no such database, or takes more than half of the heap
     */
    public static GeoDatabase open(Path file) throws IOException {
        long size =
                RegularFile.check(file, Math.min(MAX_BYTES, Runtime.getRuntime().maxMemory() / 2));
        if (!endsWithMetadata(file, size)) {
            throw new IOException("it has no metadata of MaxMind at its end");
        }
        return new GeoDatabase(file, new Reader(file.toFile(), Reader.FileMode.MEMORY, new CHMCache()));
    }

    /** Whether the metadata begin in the last bytes of a file: looked for before all of it is read. */
    private static boolean endsWithMetadata(Path file, long size) throws IOException {
        ByteBuffer end = ByteBuffer.allocate((int) Math.min(size, METADATA_BYTES));
        try (SeekableByteChannel content = Files.newByteChannel(file)) {
            content.position(size - end.capacity());
            while (end.hasRemaining() && content.read(end) >= 0) {
                // until all is there
            }
        }
        return new String(end.array(), ISO_8859_1).contains(METADATA);
    }

    /** The file it was read from. */
    public Path file() {
        return file;
    }

    /** The ISO code of the country an address is in, such as {@code DE}; null if the database does not know. */
    public @Nullable String region(String ip) {
        Address address = Address.parse(ip);
        if (address == null) {
            return null;
        }
        try {
            Map<?, ?> place = reader.get(address.toInetAddress(), Map.class);
            String country = place == null ? null : code(place.get("country"));
            return country != null || place == null ? country : code(place.get("registered_country"));
        } catch (IOException | RuntimeException e) {
            return null;
        }
    }

    private static @Nullable String code(@Nullable Object country) {
        return country instanceof Map<?, ?> map && map.get("iso_code") instanceof String code ? code : null;
    }

    @Override
    public String toString() {
        return file.toString();
    }
}
