package dev.sluice.simulate.log;

import java.io.InputStream;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How logs are read.
 *
 * @param format a name of {@link LogFormat#NAMES} or a format string; null to find it from the first lines of each file
 * @param map names of fields by names of attributes, for JSON and tables
 * @param zone the zone of times that have none
 * @param standardInput what the file {@code -} is
 */
public record LogOptions(@Nullable String format, Map<String, String> map, ZoneId zone, InputStream standardInput) {
    /** Finds the format, takes times without a zone as UTC, and has an empty standard input. */
    public static final LogOptions DEFAULT =
            new LogOptions(null, Map.of(), ZoneOffset.UTC, InputStream.nullInputStream());

    public LogOptions {
        map = Map.copyOf(map);
    }

    /** The same with a format. */
    public LogOptions withFormat(String format) {
        return new LogOptions(format, map, zone, standardInput);
    }

    /** The same with a mapping of fields. */
    public LogOptions withMap(Map<String, String> map) {
        return new LogOptions(format, map, zone, standardInput);
    }

    /** The same with a zone. */
    public LogOptions withZone(ZoneId zone) {
        return new LogOptions(format, map, zone, standardInput);
    }

    /** The same with a standard input. */
    public LogOptions withStandardInput(InputStream standardInput) {
        return new LogOptions(format, map, zone, standardInput);
    }
}
