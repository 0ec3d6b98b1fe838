package dev.sluice.simulate.suggest;

import dev.sluice.simulate.suggest.traffic.Events;
import dev.sluice.simulate.suggest.traffic.ObservedClient;
import java.util.List;

/**
 * The largest number of requests of each client in any window, on one scope. A sliding log denies a client nothing if, and
 * only if, it has that many permits; so whoever needs no more than a limit need not be looked at again.
 */
final class ClientNeeds {
    /** By window and client. */
    private final int[][] most;
    /** How many clients need how much, by part of the log and window; the first part is all of it. */
    private final Counts[][] counts;
    /** How many requests there are, by part of the log. */
    private final long[] requests;

    private ClientNeeds(int parts, int windows, int clients) {
        this.most = new int[windows][clients];
        this.counts = none(parts, windows);
        this.requests = new long[parts];
    }

    private static Counts[][] none(int parts, int windows) {
        Counts[][] counts = new Counts[parts][windows];
        for (Counts[] ofPart : counts) {
            for (int w = 0; w < windows; w++) {
                ofPart[w] = new Counts();
            }
        }
        return counts;
    }

    /** What some clients need. */
    private static final class OfChunk {
        final Counts[][] counts;
        final long[] requests;

        OfChunk(int parts, int windows) {
            this.counts = none(parts, windows);
            this.requests = new long[parts];
        }
    }

    static ClientNeeds of(List<ObservedClient> clients, Scope scope, List<LogPart> parts, long[] windowsMicros) {
        ClientNeeds needs = new ClientNeeds(parts.size(), windowsMicros.length, clients.size());
        for (OfChunk chunk :
                Chunk.each(clients.size(), chunk -> needs.look(clients, chunk, scope, parts, windowsMicros))) {
            for (int part = 0; part < parts.size(); part++) {
                needs.requests[part] += chunk.requests[part];
                for (int w = 0; w < windowsMicros.length; w++) {
                    needs.counts[part][w].addAll(chunk.counts[part][w]);
                }
            }
        }
        return needs;
    }

    private OfChunk look(
            List<ObservedClient> clients, Chunk chunk, Scope scope, List<LogPart> parts, long[] windowsMicros) {
        OfChunk found = new OfChunk(parts.size(), windowsMicros.length);
        Events buffer = new Events();
        LimitFinder.forEach(clients, chunk, scope, each -> true, (client, events) -> {
            for (int part = 0; part < parts.size(); part++) {
                Events ofPart = parts.get(part).of(events, buffer);
                found.requests[part] += ofPart.count();
                for (int w = 0; ofPart.count() > 0 && w < windowsMicros.length; w++) {
                    int need = SlidingCounts.most(ofPart, windowsMicros[w]);
                    found.counts[part][w].add(need);
                    if (part == 0) {
                        most[w][client] = need;
                    }
                }
            }
        });
        return found;
    }

    /** What a client needs in a window; 0 if it has no request on the scope. */
    int of(int client, int window) {
        return most[window][client];
    }

    /** How many clients need how much in a part of the log. */
    Counts counts(int part, int window) {
        return counts[part][window];
    }

    /** How many requests there are in a part of the log. */
    long requests(int part) {
        return requests[part];
    }
}
