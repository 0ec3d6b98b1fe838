package dev.sluice.simulate.log;

import java.util.ArrayList;
import java.util.List;

/** Reads logs in tests. */
final class Logs {
    /** What was read. */
    record Read(List<LogEntry> entries, LogSummary summary, List<LogSource.FileInfo> files) {
        LogEntry only() {
            if (entries.size() != 1) {
                throw new AssertionError("expected one entry, was " + entries + " " + summary);
            }
            return entries.get(0);
        }
    }

    private Logs() {}

    static Read read(LogOptions options, List<String> attributes, String... names) {
        List<LogEntry> entries = new ArrayList<>();
        try (LogSource source = LogSource.open(List.of(names), options)) {
            source.read(LogAttributes.of(attributes), entries::add);
            return new Read(entries, source.summary(), source.files());
        }
    }
}
