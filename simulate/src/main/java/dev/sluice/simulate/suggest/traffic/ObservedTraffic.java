package dev.sluice.simulate.suggest.traffic;

import dev.sluice.simulate.log.LogAttributes;
import dev.sluice.simulate.log.LogEntry;
import dev.sluice.simulate.log.LogException;
import dev.sluice.simulate.log.file.LogSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The traffic of a log by client.
 *
 * <p>It takes three to five bytes for each request and some hundred for each client. If that reaches its bound, reading
 * ends: what was read so far is the traffic, and {@link #isCutOff} is true.
 */
public final class ObservedTraffic {
    private static final int METHOD = 0;
    private static final int PATH = 1;
    private static final int AGENT = 2;

    private final Endpoints endpoints = new Endpoints();
    private final Map<String, ObservedClient> byKey = new HashMap<>();
    private final long maxBytes;
    private final ClientKey keys;
    private long bytes;
    private long requests;
    private long assets;
    private long withoutKey;
    private long firstMicros;
    private long lastMicros;
    private boolean cutOff;

    /** Ends the reading of a log that does not fit. */
    private static final class Full extends RuntimeException {
        private static final long serialVersionUID = 1;

        Full() {
            super(null, null, false, false);
        }
    }

    private ObservedTraffic(ClientKey keys, long maxBytes) {
        this.keys = keys;
        this.maxBytes = maxBytes;
    }

    /**
     * Reads logs.
     *
     * @throws LogException if they cannot be read, or have no such key
     */
    public static ObservedTraffic read(LogSource source, List<String> key, long maxBytes) {
        for (LogSource.FileInfo file : source.files()) {
            for (String attribute : key) {
                if (!file.attributes().contains(attribute)) {
                    throw new LogException(file.name() + " has no attribute '" + attribute
                            + "' to count clients by; it has " + String.join(", ", file.attributes()));
                }
            }
        }
        List<String> names = new ArrayList<>(List.of(LogAttributes.METHOD, LogAttributes.PATH, LogAttributes.AGENT));
        names.addAll(key);
        LogAttributes wanted = LogAttributes.of(names);
        ObservedTraffic traffic = new ObservedTraffic(new ClientKey(key, wanted), maxBytes);
        try {
            source.read(wanted, traffic::add);
        } catch (Full e) {
            traffic.cutOff = true;
        }
        return traffic;
    }

    private void add(LogEntry entry) {
        String key = keys.of(entry);
        if (key == null) {
            withoutKey++;
            return;
        }
        String path = entry.value(PATH);
        lastMicros = Math.max(lastMicros, entry.timeMicros());
        firstMicros = requests++ == 0 ? lastMicros : firstMicros;
        int mark = endpoints.mark(entry.value(METHOD), path, entry.status());
        assets += endpoints.get(Endpoints.endpoint(mark)).asset() ? 1 : 0;
        ObservedClient client = byKey.get(key);
        if (client == null) {
            client = new ObservedClient(key);
            byKey.put(key, client);
            bytes += ObservedClient.BYTES + key.length();
        }
        bytes += client.add(lastMicros, mark, path, entry.value(AGENT));
        if (bytes > maxBytes) {
            throw new Full();
        }
    }

    /** The endpoints that were asked for. */
    public Endpoints endpoints() {
        return endpoints;
    }

    /** The clients, those with the most requests first. */
    public List<ObservedClient> clients() {
        List<ObservedClient> clients = new ArrayList<>(byKey.values());
        clients.sort(
                Comparator.comparingLong(ObservedClient::requests).reversed().thenComparing(ObservedClient::key));
        return clients;
    }

    /** How many requests have the key. */
    public long requests() {
        return requests;
    }

    /** How many of the requests are for images, styles and the like. */
    public long assets() {
        return assets;
    }

    /** How many requests lack an attribute of the key. */
    public long withoutKey() {
        return withoutKey;
    }

    /** When the first of them came, in microseconds since 1970. */
    public long firstMicros() {
        return firstMicros;
    }

    /** When the last of them came. */
    public long lastMicros() {
        return lastMicros;
    }

    /** The time between the first and the last. */
    public long spanMicros() {
        return lastMicros - firstMicros;
    }

    /** Whether there was more than fits. */
    public boolean isCutOff() {
        return cutOff;
    }
}
