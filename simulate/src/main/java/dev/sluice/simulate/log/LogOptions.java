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
 * <p>A format is one of these names, or a format string of nginx ({@code $remote_addr - $remote_user [$time_local] …}) or
 * of Apache ({@code %h %l %u %t "%r" %>s %b}):
 *
 * <pre>
 *   common     203.0.113.9 - ada [16/Nov/2026:09:13:25 +0000] "GET / HTTP/1.1" 200 512
 *   combined   the same, then "referer" "user agent"; what follows is not looked at
 *   vhost      combined, with host:port before it
 *   json       an object on each line
 *   csv        names in the first line; separated by comma, semicolon or tab
 * </pre>
 *
 * @param format a format; null to find it from the first lines of each file
 * @param map names of fields by names of attributes, for JSON and tables
 * @param zone the zone of times that have none
 * @param streams what is read as a log of a name, in place of a file: {@code -} is standard input
 */
public record LogOptions(
        @Nullable String format, Map<String, String> map, ZoneId zone, Map<String, InputStream> streams) {
    /** The name of standard input. */
    private static final String STANDARD_INPUT = "-";

    /** Finds the format, takes times without a zone as UTC, and has an empty standard input. */
    public static final LogOptions DEFAULT =
            new LogOptions(null, Map.of(), ZoneOffset.UTC, Map.of(STANDARD_INPUT, InputStream.nullInputStream()));

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
        return withStreams(Map.of(STANDARD_INPUT, standardInput));
    }

    /** The same with streams by name, each of which is read once. */
    public LogOptions withStreams(Map<String, InputStream> streams) {
        return new LogOptions(format, map, zone, streams);
    }
}
