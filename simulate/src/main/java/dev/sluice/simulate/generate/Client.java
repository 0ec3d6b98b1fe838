package dev.sluice.simulate.generate;

import java.io.IOException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** The address that requests come from, and what they add up to. Several {@link Actor}s can share one. */
final class Client {
    final String ip;
    final ClientKind kind;
    private long requests;
    private long firstMicros;
    private long lastMicros;

    Client(String ip, ClientKind kind) {
        this.ip = ip;
        this.kind = kind;
    }

    void requested(long atMicros) {
        firstMicros = requests == 0 ? atMicros : firstMicros;
        lastMicros = atMicros;
        requests++;
    }

    long requests() {
        return requests;
    }

    GeneratedClient truth() {
        return new GeneratedClient(ip, kind, requests, instant(firstMicros), instant(lastMicros));
    }

    private static Instant instant(long micros) {
        return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
    }

    /** Somebody who makes one request after another. */
    abstract static class Actor {
        static final long SECOND = 1_000_000;

        final Client client;
        final Dice dice;
        final String agent;
        /** When the next request is made; the largest number if there is none. */
        long nextMicros;

        Actor(Client client, Dice dice, String agent) {
            this.client = client;
            this.dice = dice;
            this.agent = agent;
        }

        /** Makes the request of {@link #nextMicros}, and sets the time of the one after it. */
        abstract void act(LogSink sink) throws IOException;

        final void request(LogSink sink, String method, String path, int status, long bytes, String referer)
                throws IOException {
            request(sink, "", method, path, status, bytes, referer);
        }

        final void request(
                LogSink sink, String user, String method, String path, int status, long bytes, String referer)
                throws IOException {
            client.requested(nextMicros);
            sink.accept(new GeneratedRequest(nextMicros, client.ip, user, method, path, status, bytes, referer, agent));
        }
    }
}
