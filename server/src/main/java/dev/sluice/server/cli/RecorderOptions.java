package dev.sluice.server.cli;

import dev.sluice.Durations;
import dev.sluice.MemorySize;
import dev.sluice.server.record.RecorderSettings;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What a server records of requests, for replays. */
final class RecorderOptions {
    /** In the help they stand after those that everybody needs. */
    private static final int LAST = 1;

    @Option(
            names = "--record",
            order = LAST,
            paramLabel = "SIZE",
            description =
                    "Records the attributes of requests in memory, the last ones that fit into a size such as 64MB,"
                            + " for sluice replay --from and sluice suggest --from. Default: records nothing.")
    private @Nullable String size;

    @Option(
            names = "--record-share",
            order = LAST,
            paramLabel = "SHARE",
            description =
                    "The share of the clients that is recorded, such as 10%%: of those everything. Default: 100%%.")
    private @Nullable String share;

    @Option(
            names = "--record-attributes",
            order = LAST,
            paramLabel = "NAME[,NAME...]",
            split = ",",
            description = "The attributes that are recorded. Default: ip, user, device, region, method, host, path,"
                    + " domain and priority. Header fields are recorded only if they are named, and queries never.")
    private @Nullable List<String> attributes;

    @Option(
            names = "--record-hash",
            order = LAST,
            paramLabel = "NAME[,NAME...]",
            split = ",",
            description = "The attributes, such as ip, of which hashes are recorded: equal ones stay equal.")
    private @Nullable List<String> hashed;

    @Option(
            names = "--record-age",
            order = LAST,
            paramLabel = "DURATION",
            description = "How long a request can be read after it was recorded. Default: 1d.")
    private @Nullable String age;

    @Option(
            names = "--record-key",
            order = LAST,
            paramLabel = "TEXT",
            description =
                    "What the hashes depend on. Servers with the same key record the same clients and write the same"
                            + " hashes. Other users of this machine can see it, but not the variable. Default: a random one.")
    private @Nullable String key;

    /** What is recorded; null for nothing. */
    @Nullable
    RecorderSettings settings(CommonOptions common) {
        String given = size;
        if (given == null) {
            requireNothing(common);
            return null;
        }
        RecorderSettings settings;
        try {
            settings = RecorderSettings.of(MemorySize.parse(given));
        } catch (IllegalArgumentException e) {
            throw common.wrongCall(common.origin("--record") + ": " + e.getMessage());
        }
        try {
            return with(settings);
        } catch (IllegalArgumentException e) {
            throw common.wrongCall("--record-" + e.getMessage());
        }
    }

    private RecorderSettings with(RecorderSettings settings) {
        return settings.share(share == null ? settings.shareMillionths() : RecorderSettings.millionths(share))
                .attributes(attributes == null ? settings.attributes() : names(attributes))
                .hashed(hashed == null ? settings.hashed() : names(hashed))
                .maxAge(age == null ? settings.maxAge() : Durations.parse("age", age))
                .key(key);
    }

    private void requireNothing(CommonOptions common) {
        if (share != null || attributes != null || hashed != null || age != null || key != null) {
            throw common.wrongCall("nothing is recorded without --record SIZE, such as --record 64MB");
        }
    }

    private static List<String> names(List<String> given) {
        return given.stream()
                .map(name -> name.strip().toLowerCase(Locale.ROOT))
                .distinct()
                .toList();
    }
}
