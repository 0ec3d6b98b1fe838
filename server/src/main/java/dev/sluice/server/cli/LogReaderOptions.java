package dev.sluice.server.cli;

import dev.sluice.simulate.log.LogOptions;
import dev.sluice.simulate.log.file.LogSource;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.ZoneId;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** How a command reads logs, or what running servers recorded. */
final class LogReaderOptions {
    @Option(
            names = "--format",
            paramLabel = "FORMAT",
            description =
                    "The format of the logs: common, combined, vhost, json, csv, a log_format of nginx or a LogFormat"
                            + " of Apache. Default: found from the first lines of each.")
    private @Nullable String format;

    @Option(
            names = "--map",
            paramLabel = "ATTRIBUTE=FIELD",
            split = ",",
            description =
                    "Which field of a JSON object or of a table is which attribute. Fields with usual names are known.")
    private List<String> map = List.of();

    @Option(
            names = "--zone",
            paramLabel = "ZONE",
            description = "The zone of times that have none, as in Europe/Berlin. Default: UTC.")
    private String zone = "UTC";

    @Mixin
    private RecordingOptions recording = new RecordingOptions();

    private Set<String> hashed = Set.of();

    /** Opens logs, or recordings if servers are named in place of logs. */
    LogSource open(CommonOptions common, List<String> logs) throws IOException {
        LogOptions options = options(common);
        recording.check(common, !logs.isEmpty());
        if (!recording.isGiven()) {
            return LogSource.open(logs, options);
        }
        if (format != null || !map.isEmpty()) {
            throw common.wrongCall("--format and --map are for logs; with --from the fields are known");
        }
        RecordingOptions.Recordings recordings = recording.open(common);
        recordings.notes().forEach(common.err()::println);
        hashed = recordings.hashed();
        return LogSource.open(List.copyOf(recordings.streams().keySet()), recordings.options());
    }

    /** The servers whose recordings are read. */
    RecordingOptions recording() {
        return recording;
    }

    /** The attributes whose values are hashes in what was opened. */
    Set<String> hashed() {
        return hashed;
    }

    LogOptions options(CommonOptions common) {
        ZoneId id;
        try {
            id = ZoneId.of(zone);
        } catch (DateTimeException e) {
            throw common.wrongCall("--zone must be a zone such as UTC, Europe/Berlin or +02:00, was '" + zone + "'");
        }
        return new LogOptions(format, mapping(common), id, Map.of("-", System.in));
    }

    private Map<String, String> mapping(CommonOptions common) {
        Map<String, String> mapping = new LinkedHashMap<>();
        for (String each : map) {
            int equals = each.indexOf('=');
            if (equals < 1 || equals == each.length() - 1) {
                throw common.wrongCall("--map must be ATTRIBUTE=FIELD, as in ip=client, was '" + each + "'");
            }
            String attribute = each.substring(0, equals).toLowerCase(Locale.ROOT);
            if (mapping.put(attribute, each.substring(equals + 1)) != null) {
                throw common.wrongCall("--map names '" + attribute + "' twice");
            }
        }
        return mapping;
    }
}
