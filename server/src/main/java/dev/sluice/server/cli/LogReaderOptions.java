package dev.sluice.server.cli;

import dev.sluice.simulate.log.LogOptions;
import java.time.DateTimeException;
import java.time.ZoneId;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** How a command reads logs. */
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

    LogOptions options(CommonOptions common) {
        ZoneId id;
        try {
            id = ZoneId.of(zone);
        } catch (DateTimeException e) {
            throw common.wrongCall("--zone must be a zone such as UTC, Europe/Berlin or +02:00, was '" + zone + "'");
        }
        return new LogOptions(format, mapping(common), id, System.in);
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
