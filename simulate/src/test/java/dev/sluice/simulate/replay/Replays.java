package dev.sluice.simulate.replay;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.rules.file.RuleFile;
import dev.sluice.simulate.log.LogOptions;
import dev.sluice.simulate.log.file.LogSource;
import java.io.ByteArrayInputStream;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Replays texts in tests. */
final class Replays {
    private Replays() {}

    static ReplayRules rules(String text) {
        return new ReplayRules("rules.yaml", RuleFile.parse("rules.yaml", text));
    }

    static LogSource source(String log) {
        return LogSource.open(
                List.of("-"), LogOptions.DEFAULT.withStandardInput(new ByteArrayInputStream(log.getBytes(UTF_8))));
    }

    static ReplayReport replay(String rules, String log) {
        try (LogSource source = source(log)) {
            return ReplayReport.of(source, rules(rules));
        }
    }

    static ReplayReport compare(String rules, String others, String log) {
        try (LogSource source = source(log)) {
            return ReplayReport.of(
                    source,
                    rules(rules),
                    Optional.of(new ReplayRules("others.yaml", RuleFile.parse("others.yaml", others))));
        }
    }

    /** A log in JSON: each entry is its time in seconds of 2026-11-16, a blank, and members. */
    static String log(String... entries) {
        StringBuilder log = new StringBuilder();
        for (String entry : entries) {
            int blank = entry.indexOf(' ');
            double seconds = 1_794_787_200 + Double.parseDouble(entry.substring(0, blank));
            log.append(String.format(Locale.ROOT, "{\"time\":%.3f,%s}%n", seconds, entry.substring(blank + 1)));
        }
        return log.toString();
    }
}
