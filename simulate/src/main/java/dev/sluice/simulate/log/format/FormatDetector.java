package dev.sluice.simulate.log.format;

import dev.sluice.simulate.log.LogAttributes;
import dev.sluice.simulate.log.LogException;
import dev.sluice.text.Quoted;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Finds the format of a file from its first lines. */
final class FormatDetector {
    private FormatDetector() {}

    /**
     * The format that accepts half of the lines or more; of no lines, the combined one.
     *
     * @throws LogException if there is none
     */
    static LogFormat detect(Sample sample, Map<String, String> map) {
        if (sample.lines().isEmpty()) {
            return TextFormat.COMBINED;
        }
        String first = sample.text(sample.lines().get(0));
        if (sample.isBinary()) {
            throw new LogException(sample.file() + ": this is not a log but a binary file");
        }
        if (first.stripLeading().startsWith("{")) {
            return new JsonFormat(map);
        }
        for (LogFormat format : List.of(TextFormat.VHOST, TextFormat.COMBINED, TextFormat.COMMON)) {
            if (map.isEmpty() && fits(format, sample)) {
                return format;
            }
        }
        CsvFormat csv = csv(sample, map);
        if (csv != null) {
            return csv;
        }
        throw new LogException(sample.file() + ": no known format fits its first lines; say --format NAME (one of "
                + String.join(", ", LogFormat.NAMES) + ") or --format with the log_format of nginx or the LogFormat of"
                + " Apache; the first line is " + Quoted.quoted(first));
    }

    private static @Nullable CsvFormat csv(Sample sample, Map<String, String> map) {
        CsvFormat csv = new CsvFormat(map);
        try {
            return fits(csv, sample) ? csv : null;
        } catch (LogException e) {
            return null; // no column is a time
        }
    }

    private static boolean fits(LogFormat format, Sample sample) {
        int lines = sample.lines().size() - format.headerLines();
        LineParser parser = format.parser(sample, new EntryBuilder(LogAttributes.of(), ZoneOffset.UTC));
        return 2 * sample.accepted(parser, format.headerLines()) >= lines;
    }
}
