package dev.sluice.simulate.log.file;

import dev.sluice.simulate.log.LogAttributes;
import dev.sluice.simulate.log.LogEntry;
import dev.sluice.simulate.log.LogOptions;
import dev.sluice.simulate.log.LogSummary;
import java.util.ArrayList;
import java.util.List;

/** Reads logs in tests. */
public final class Logs {
    /** What was read. */
    public record Read(List<LogEntry> entries, LogSummary summary, List<LogSource.FileInfo> files) {
        public LogEntry only() {
            if (entries.size() != 1) {
                throw new AssertionError("expected one entry, was " + entries + " " + summary);
            }
            return entries.get(0);
        }
    }

    private Logs() {}

    public static Read read(LogOptions options, List<String> attributes, String... names) {
        List<LogEntry> entries = new ArrayList<>();
        try (LogSource source = LogSource.open(List.of(names), options)) {
            source.read(LogAttributes.of(attributes), entries::add);
            return new Read(entries, source.summary(), source.files());
        }
    }
}
