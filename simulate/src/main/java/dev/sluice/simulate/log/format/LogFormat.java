package dev.sluice.simulate.log.format;

import dev.sluice.simulate.log.LogAttributes;
import dev.sluice.simulate.log.LogException;
import dev.sluice.simulate.log.LogOptions;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;

/** How the lines of a log are written. {@link LogOptions} says which formats there are. */
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

    /**
     * Finds the format of a file from its first lines; of an empty file, the combined one.
     *
     * @throws LogException if there is none that most of them are in
     */
    public static LogFormat detect(Sample sample, Map<String, String> map) {
        return FormatDetector.detect(sample, map);
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
    public abstract List<String> attributes(Sample sample);

    /**
     * A parser of the lines of a file.
     *
     * @param sample the first lines of the file
     */
    abstract LineParser parser(Sample sample, EntryBuilder builder);

    /**
     * A reader of the lines of a file.
     *
     * @param sample the first lines of the file
     * @param wanted the attributes that the entries are to have
     * @param zone the zone of times that have none
     */
    public final LineReader reader(Sample sample, LogAttributes wanted, ZoneId zone) {
        EntryBuilder builder = new EntryBuilder(wanted, zone);
        return new LineReader(parser(sample, builder), builder);
    }

    /** How many lines at the start of a file are not requests but names. */
    public int headerLines() {
        return 0;
    }

    @Override
    public final String toString() {
        return name;
    }
}
