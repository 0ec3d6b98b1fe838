package dev.sluice.server.cli;

import dev.sluice.Durations;
import dev.sluice.simulate.log.LogOptions;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpResponse;
import java.nio.charset.CharacterCodingException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Requests that running servers recorded, in place of logs. */
final class RecordingOptions {
    @Option(
            names = "--from",
            paramLabel = "URL",
            description = "Takes the requests that a running server recorded (sluice serve --record) in place of logs:"
                    + " the URL of its admin port, as in http://127.0.0.1:8081. For several servers, several times.")
    private List<String> from = List.of();

    @Option(
            names = "--last",
            paramLabel = "DURATION",
            description = "With --from: only the last so long, as in 15m. Default: all that is recorded.")
    private @Nullable String last;

    @Option(
            names = "--admin-token-file",
            paramLabel = "FILE",
            description = "With --from: the token of the admin port, alone or as name:token, in the first line."
                    + " The variable SLUICE_ADMIN_TOKEN does as well.")
    private @Nullable Path tokenFile;

    @Option(names = "--admin-token", hidden = true, description = "The token; it comes from the variable.")
    private @Nullable String token;

    /**
     * What servers recorded.
     *
     * @param streams the lines, by the URL of the server
     * @param attributes the attributes that they have
     * @param notes sentences about what they lack
     * @param hashed the attributes that are hashes
     */
    record Recordings(
            Map<String, InputStream> streams, Set<String> attributes, List<String> notes, Set<String> hashed) {
        /** Options that read them. */
        LogOptions options() {
            return LogOptions.ofRecording(attributes, streams);
        }
    }

    /** Whether there are servers. */
    boolean isGiven() {
        return !from.isEmpty();
    }

    void check(CommonOptions common, boolean hasLogs) {
        if (!isGiven() && !hasLogs) {
            throw common.wrongCall("name a log, or a server with --from http://127.0.0.1:8081");
        }
        if (isGiven() && hasLogs) {
            throw common.wrongCall("either logs or --from, not both");
        }
        if (!isGiven() && last != null) {
            throw common.wrongCall("--last is for --from");
        }
        if (last != null && Durations.parse(last) == null) {
            throw common.wrongCall("--last must be " + Durations.EXPECTED + ", was '" + last + "'");
        }
        if (new LinkedHashSet<>(from).size() < from.size()) {
            throw common.wrongCall("--from names a server twice: " + String.join(", ", from));
        }
    }

    /** The servers. */
    List<AdminClient> servers(CommonOptions common) throws IOException {
        List<AdminClient> servers = new ArrayList<>();
        String given = token();
        for (String url : from) {
            try {
                servers.add(new AdminClient(url, given));
            } catch (IllegalArgumentException e) {
                throw common.wrongCall("--from: " + e.getMessage());
            }
        }
        return servers;
    }

    private @Nullable String token() throws IOException {
        if (tokenFile == null) {
            return token;
        }
        try {
            String line = Files.readAllLines(tokenFile).stream()
                    .map(String::strip)
                    .filter(text -> !text.isEmpty() && !text.startsWith("#"))
                    .findFirst()
                    .orElseThrow(() -> new IOException("there is no token in " + tokenFile));
            return line.substring(line.indexOf(':') + 1);
        } catch (CharacterCodingException | FileSystemException e) {
            throw new IOException("--admin-token-file " + tokenFile + " cannot be read: " + e, e);
        }
    }

    /** Asks all servers for what they have recorded. */
    Recordings open(CommonOptions common) throws IOException {
        Map<String, InputStream> streams = new LinkedHashMap<>();
        Set<String> attributes = new LinkedHashSet<>();
        Set<String> hashed = new LinkedHashSet<>();
        List<String> notes = new ArrayList<>();
        boolean opened = false;
        try {
            for (AdminClient server : servers(common)) {
                HttpResponse<InputStream> response =
                        server.stream("/v1/recording" + (last == null ? "" : "?last=" + last.strip()));
                streams.put(server.url(), response.body());
                attributes.addAll(AdminClient.list(response, "Sluice-Recorded-Attributes"));
                hashed.addAll(AdminClient.list(response, "Sluice-Recorded-Hashed"));
                String share =
                        response.headers().firstValue("Sluice-Recorded-Share").orElse("100%");
                if (!share.equals("100%")) {
                    notes.add(server.url() + " records " + share
                            + " of the clients: limits that clients share look larger than they are");
                }
            }
            opened = true;
        } finally {
            if (!opened) {
                for (InputStream stream : streams.values()) {
                    stream.close();
                }
            }
        }
        return new Recordings(streams, attributes, notes, hashed);
    }
}
