package dev.sluice.bench.server;

import dev.sluice.bench.redis.RawPace;
import dev.sluice.bench.report.Programs;
import dev.sluice.redis.servers.RedisBinary;
import dev.sluice.redis.servers.RedisServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The servers of a run: each a process of its own on loopback, started when first needed and kept to the end. */
final class Servers implements AutoCloseable {
    private static final int FEW_RULES = 10;
    private static final String ARCHIVE = "sluice.jsa";

    private final int manyRules;
    private final Map<ServerKind, Child> children = new EnumMap<>(ServerKind.class);
    private final Map<ServerKind, Integer> adminPorts = new EnumMap<>(ServerKind.class);
    private @Nullable RedisServer redis;
    private @Nullable RawPace raw;
    private @Nullable Path archives;

    Servers(int manyRules) {
        this.manyRules = manyRules;
    }

    Child child(ServerKind kind) {
        return children.computeIfAbsent(kind, this::start);
    }

    /** The admin port of a server that has one; 0 of another. */
    int adminPort(ServerKind kind) {
        return adminPorts.getOrDefault(kind, 0);
    }

    RedisServer redis() {
        if (redis == null) {
            redis = RedisServer.startBy(
                    Programs.inOwnSession(List.of()), RedisBinary.system().orElseGet(RedisBinary::embedded));
        }
        return redis;
    }

    /** A limiter on the same Redis, in this JVM. */
    RawPace raw() {
        if (raw == null) {
            raw = new RawPace(redis().url());
        }
        return raw;
    }

    /** Starts one more, which belongs to the caller. */
    Child start(ServerKind kind) {
        try {
            int port = RedisServer.freePort();
            Path folder = Programs.folder();
            return Child.start(kind.label, port, folder, words(kind, port, folder), kind.path());
        } catch (IOException e) {
            throw new UncheckedIOException("cannot prepare " + kind.label, e);
        }
    }

    private List<String> words(ServerKind kind, int port, Path folder) throws IOException {
        return switch (kind) {
            case NGINX -> {
                String file = configuration(folder, "nginx.conf", port);
                Files.writeString(folder.resolve("file"), "ok\n");
                Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x")); // for its workers
                yield List.of(Tools.NGINX.path(), "-e", "stderr", "-p", folder.toString(), "-c", file);
            }
            case HAPROXY -> List.of(Tools.HAPROXY.path(), "-db", "-f", configuration(folder, "haproxy.cfg", port));
            case VERTX, VERTX_HTTP2 -> Programs.java(flags(), VertxHello.class.getName(), Integer.toString(port));
            case SLUICE, SLUICE_FOR_NGINX, SLUICE_FOR_ENVOY, SLUICE_MANY_KEYS, SLUICE_HOT_KEYS ->
                sluice(kind, folder, port, FEW_RULES, "memory");
            case SLUICE_MANY_RULES -> sluice(kind, folder, port, manyRules, "memory");
            case SLUICE_ON_REDIS -> sluice(kind, folder, port, FEW_RULES, redis().url());
        };
    }

    private static String configuration(Path folder, String name, int port) throws IOException {
        String text = Programs.resource(Servers.class, name).replace("@PORT@", Integer.toString(port));
        return Files.writeString(folder.resolve(name), text).toString();
    }

    private List<String> sluice(ServerKind kind, Path folder, int port, int rules, String store) throws IOException {
        List<String> flags = flags();
        flags.add("-Xms32m");
        flags.add("-XX:-UsePerfData");
        if (Files.exists(archive())) {
            flags.add("-XX:SharedArchiveFile=" + archive());
        }
        int adminPort = RedisServer.freePort();
        adminPorts.putIfAbsent(kind, adminPort); // the first one is kept, others are started for a moment
        List<String> words = new ArrayList<>(sluice(flags, folder, port, rules, store));
        words.add("--admin-port=" + adminPort);
        return words;
    }

    /** The archive of the classes that a start loads; not there if it cannot be made. */
    private Path archive() throws IOException {
        if (archives != null) {
            return archives.resolve(ARCHIVE);
        }
        Path made = Programs.folder();
        Path archive = made.resolve(ARCHIVE);
        archives = made;
        int port = RedisServer.freePort();
        Path folder = Programs.folder();
        List<String> flags = flags();
        flags.add("-XX:ArchiveClassesAtExit=" + archive);
        ServerKind kind = ServerKind.SLUICE;
        List<String> words = new ArrayList<>(sluice(flags, folder, port, FEW_RULES, "memory"));
        words.add("--admin-port=0");
        Child.start(kind.label, port, folder, words, kind.path()).close();
        return archive;
    }

    private static List<String> sluice(List<String> flags, Path folder, int port, int rules, String store)
            throws IOException {
        Path file = Files.writeString(folder.resolve("rules.yaml"), RuleText.of(rules));
        return Programs.java(
                flags,
                "dev.sluice.server.cli.Main",
                "serve",
                "--rules=" + file,
                "--store=" + store,
                "--host=127.0.0.1",
                "--port=" + port,
                "--drain=0");
    }

    /** As in ./sluice. */
    private static List<String> flags() {
        List<String> flags = new ArrayList<>(List.of("-XX:+UseParallelGC"));
        int version = Runtime.version().feature();
        if (version >= 22) {
            flags.add("--enable-native-access=ALL-UNNAMED");
        }
        if (version >= 23) {
            flags.add("--sun-misc-unsafe-memory-access=allow");
        }
        return flags;
    }

    @Override
    public void close() {
        children.values().forEach(Child::close);
        if (raw != null) {
            raw.close();
        }
        if (redis != null) {
            redis.close();
        }
        if (archives != null) {
            Programs.delete(archives);
        }
    }
}
