package dev.sluice.bench.server;

import dev.sluice.bench.report.Programs;
import dev.sluice.bench.server.LoadGenerators.Burst;
import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Puts rows under load, from a process of its own. */
final class ServerLoad implements AutoCloseable {
    static final int CONNECTIONS = 64;
    static final int CONNECTIONS_OF_A_CROWD = 256;

    private final Servers servers;
    private final int keys;
    private final Path script;
    private final Path frame;

    ServerLoad(Servers servers, int keys) {
        this.servers = servers;
        this.keys = keys;
        try {
            this.script = Files.writeString(
                    Files.createTempFile("sluice-bench", ".lua"), Programs.resource(ServerLoad.class, "keys.lua"));
            this.frame = Files.write(Files.createTempFile("sluice-bench", ".grpc"), frame());
        } catch (IOException e) {
            throw new UncheckedIOException("cannot prepare the load", e);
        }
    }

    /** Sends requests as fast as there are answers. */
    Burst run(ServerRow row, int seconds) {
        return switch (row.way) {
            case HTTP, WATCHED -> LoadGenerators.wrk(CONNECTIONS, seconds, wrkWords(row));
            case REDIS, CROWD -> LoadGenerators.wrk(CONNECTIONS_OF_A_CROWD, seconds, wrkWords(row));
            case KEYS, HOT_KEYS -> {
                int many = row.hasManyKeys() ? keys : 1;
                List<String> words = List.of("-s", script.toString(), url(row), "--", Integer.toString(many));
                yield LoadGenerators.wrk(CONNECTIONS, seconds, words);
            }
            case GRPC, HTTP2 ->
                LoadGenerators.h2load(h2Words(row), CONNECTIONS / LoadGenerators.H2_CONNECTIONS, seconds);
            case RAW -> throw new IllegalArgumentException(row + " is not asked over a network");
        };
    }

    private List<String> wrkWords(ServerRow row) {
        List<String> words = new ArrayList<>(fields(row));
        words.add(url(row));
        return words;
    }

    /** The options and the URL for h2load. */
    List<String> h2Words(ServerRow row) {
        List<String> words = new ArrayList<>();
        words.addAll(row.way == ServerRow.Way.HTTP ? List.of("--h1") : List.of("-d", frame.toString()));
        words.addAll(fields(row));
        words.add(url(row));
        return words;
    }

    private String url(ServerRow row) {
        return "http://127.0.0.1:" + servers.child(row.server).port() + row.path;
    }

    private static List<String> fields(ServerRow row) {
        return row.fields.stream()
                .flatMap(field -> List.of("-H", field).stream())
                .toList();
    }

    /** A call as gRPC frames it: a byte for "not compressed", the length, the message. */
    private static byte[] frame() {
        byte[] message = RateLimitRequest.newBuilder()
                .setDomain("bench")
                .addDescriptors(RateLimitDescriptor.newBuilder()
                        .addEntries(entry("ip", RuleText.IP))
                        .addEntries(entry("path", RuleText.PATH)))
                .build()
                .toByteArray();
        return ByteBuffer.allocate(5 + message.length)
                .put((byte) 0)
                .putInt(message.length)
                .put(message)
                .array();
    }

    private static RateLimitDescriptor.Entry entry(String key, String value) {
        return RateLimitDescriptor.Entry.newBuilder()
                .setKey(key)
                .setValue(value)
                .build();
    }

    @Override
    public void close() {
        try {
            Files.deleteIfExists(script);
            Files.deleteIfExists(frame);
        } catch (IOException e) {
            // left for the system to sweep
        }
    }
}
