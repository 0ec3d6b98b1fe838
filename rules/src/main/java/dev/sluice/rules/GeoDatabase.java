package dev.sluice.rules;

import com.maxmind.db.CHMCache;
import com.maxmind.db.Reader;
import dev.sluice.rules.match.Address;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Countries by address, from a MaxMind database file. The file is read into memory, so that it can be replaced while
 * the database is in use.
 */
public final class GeoDatabase {
    private final Path file;
    private final Reader reader;

    private GeoDatabase(Path file, Reader reader) {
        this.file = file;
        this.reader = reader;
    }

    /**
     * Reads a database file.
     *
     * @throws IOException if it cannot be read, or is no such database
     */
    public static GeoDatabase open(Path file) throws IOException {
        try (InputStream content = Files.newInputStream(file)) {
            return new GeoDatabase(file, new Reader(content, new CHMCache()));
        }
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
