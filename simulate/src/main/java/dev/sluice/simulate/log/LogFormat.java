package dev.sluice.simulate.log;

import java.util.List;
import java.util.Map;

/**
 * How the lines of a log are written.
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
 */
public abstract class LogFormat {
    /** The names. */
    public static final List<String> NAMES = List.of("common", "combined", "vhost", "json", "csv");

    private final String name;

    LogFormat(String name) {
        this.name = name;
    }

    /**
     * Reads a format.
     *
     * @param text a name, or a format string
     * @param map which field of an object, or column of a table, is which attribute: names of fields by names of
     *     attributes
     * @throws LogException if there is anything wrong with it
     */
    public static LogFormat parse(String text, Map<String, String> map) {
        LogFormat format = switch (text) {
            case "common" -> TextFormat.COMMON;
            case "combined" -> TextFormat.COMBINED;
            case "vhost" -> TextFormat.VHOST;
            case "json" -> new JsonFormat(map);
            case "csv" -> new CsvFormat(map);
            default -> FormatString.parse(text);
        };
        if (!map.isEmpty() && format instanceof TextFormat) {
            throw new LogException("a mapping of fields is for json and csv; in the format " + format
                    + " the variables say which field is which");
        }
        return format;
    }

    /** Its name, or the format string. */
    public final String name() {
        return name;
    }

    /**
     * The attributes that entries of a file can have, beside the time.
     *
     * @param sample the first lines of the file
     */
    abstract List<String> attributes(Sample sample);

    /**
     * A parser of the lines of a file.
     *
     * @param sample the first lines of the file
     */
    abstract LineParser parser(Sample sample, EntryBuilder builder);

    /** How many lines at the start of a file are not requests but names. */
    int headerLines() {
        return 0;
    }

    @Override
    public final String toString() {
        return name;
    }
}
