package dev.sluice.bench.server;

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
final class Load implements AutoCloseable {
    static final int CONNECTIONS = 64;
    static final int CONNECTIONS_ON_REDIS = 256;

    private final Fleet fleet;
    private final int keys;
    private final Path script;
    private final Path frame;

    Load(Fleet fleet, int keys) {
        this.fleet = fleet;
        this.keys = keys;
        try {
            this.script = Files.writeString(Files.createTempFile("sluice-bench", ".lua"), Launch.resource("keys.lua"));
            this.frame = Files.write(Files.createTempFile("sluice-bench", ".grpc"), frame());
        } catch (IOException e) {
            throw new UncheckedIOException("cannot prepare the load", e);
        }
    }

    /** Asks as fast as there are answers. */
    Burst run(Row row, int seconds) {
        return switch (row.way) {
            case HTTP -> Wrk.run(url(row), CONNECTIONS, seconds, fields(row), List.of());
            case REDIS -> Wrk.run(url(row), CONNECTIONS_ON_REDIS, seconds, fields(row), List.of());
            case KEYS -> {
                int many = row == Row.MANY_KEYS ? keys : 1;
                yield Wrk.run(url(row), CONNECTIONS, seconds, List.of("-s", script.toString()), List.of(many + ""));
            }
            case GRPC, HTTP2 -> H2load.run(h2Words(row), CONNECTIONS / H2load.CONNECTIONS, seconds);
            case RAW -> throw new IllegalArgumentException(row + " is not asked over a network");
        };
    }

    /** What h2load is to ask for. */
    List<String> h2Words(Row row) {
        List<String> words = new ArrayList<>();
        words.addAll(row.way == Row.Way.HTTP ? List.of("--h1") : List.of("-d", frame.toString()));
        words.addAll(fields(row));
        words.add(url(row));
        return words;
    }

    private String url(Row row) {
        return "http://127.0.0.1:" + fleet.child(row.party).port() + row.path();
    }

    private static List<String> fields(Row row) {
        return row.fields().stream()
                .flatMap(field -> List.of("-H", field).stream())
                .toList();
    }

    /** A call as gRPC frames it: not compressed, so many bytes, the message. */
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
