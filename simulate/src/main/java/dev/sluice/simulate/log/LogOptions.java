package dev.sluice.simulate.log;

import java.io.InputStream;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * How logs are read.
 *
 * @param format a name of {@link LogFormat#NAMES} or a format string; null to find it from the first lines of each file
 * @param map names of fields by names of attributes, for JSON and tables
 * @param zone the zone of times that have none
 * @param streams what is read as a log of a name, in place of a file: {@code -} is standard input
 */
public record LogOptions(
        @Nullable String format, Map<String, String> map, ZoneId zone, Map<String, InputStream> streams) {
    /** Finds the format, takes times without a zone as UTC, and has an empty standard input. */
    public static final LogOptions DEFAULT = new LogOptions(
            null, Map.of(), ZoneOffset.UTC, Map.of(LogInput.STANDARD_INPUT, InputStream.nullInputStream()));

    public LogOptions {
        map = Map.copyOf(map);
        streams = Map.copyOf(streams);
    }

    /**
     * Reads what servers recorded: lines of JSON.
     *
     * @param attributes the attributes that were recorded
     * @param streams the lines, by the name of what recorded them
     */
    public static LogOptions ofRecording(Collection<String> attributes, Map<String, InputStream> streams) {
        Map<String, String> map = new TreeMap<>();
        attributes.forEach(name -> map.put(name, "attributes." + name));
        map.put(LogAttributes.TIME, LogAttributes.TIME);
        return DEFAULT.withFormat("json").withMap(map).withStreams(streams);
    }

    /** The same with a format. */
    public LogOptions withFormat(String format) {
        return new LogOptions(format, map, zone, streams);
    }

    /** The same with a mapping of fields. */
    public LogOptions withMap(Map<String, String> map) {
        return new LogOptions(format, map, zone, streams);
    }

    /** The same with a zone. */
    public LogOptions withZone(ZoneId zone) {
        return new LogOptions(format, map, zone, streams);
    }

    /** The same with a standard input. */
    public LogOptions withStandardInput(InputStream standardInput) {
        return withStreams(Map.of(LogInput.STANDARD_INPUT, standardInput));
    }

    /** The same with streams by name, each of which is read once. */
    public LogOptions withStreams(Map<String, InputStream> streams) {
        return new LogOptions(format, map, zone, streams);
    }
}
