package dev.sluice.bench.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.redis.servers.RedisServer;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** How each party is started: as its own process, on a free port of loopback. */
final class Launch {
    private static final int FEW_RULES = 10;

    private final int manyRules;
    private final Supplier<String> redisUrl;

    Launch(int manyRules, Supplier<String> redisUrl) {
        this.manyRules = manyRules;
        this.redisUrl = redisUrl;
    }

    Child start(Party party) {
        try {
            int port = RedisServer.freePort();
            Path folder = Files.createTempDirectory("sluice-bench");
            return Child.start(party.label, port, folder, words(party, port, folder), path(party));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot prepare " + party.label, e);
        }
    }

    /** The text of a file that comes with this. */
    static String resource(String name) {
        try (InputStream in = Objects.requireNonNull(Launch.class.getResourceAsStream(name), name)) {
            return new String(in.readAllBytes(), UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + name, e);
        }
    }

    private List<String> words(Party party, int port, Path folder) throws IOException {
        return switch (party) {
            case NGINX -> {
                String file = configuration(folder, "nginx.conf", port);
                Files.writeString(folder.resolve("file"), "ok\n");
                Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x")); // for its workers
                yield List.of(Tools.NGINX.path(), "-e", "stderr", "-p", folder.toString(), "-c", file);
            }
            case HAPROXY -> List.of(Tools.HAPROXY.path(), "-db", "-f", configuration(folder, "haproxy.cfg", port));
            case VERTX, VERTX_HTTP2 -> java(VertxHello.class.getName(), Integer.toString(port));
            case SLUICE, SLUICE_FOR_NGINX, SLUICE_FOR_ENVOY, SLUICE_MANY_KEYS ->
                sluice(folder, port, FEW_RULES, "memory");
            case SLUICE_MANY_RULES -> sluice(folder, port, manyRules, "memory");
            case SLUICE_ON_REDIS -> sluice(folder, port, FEW_RULES, redisUrl.get());
        };
    }

    private static String path(Party party) {
        return switch (party) {
            case NGINX -> Row.NGINX_LIMIT.path();
            case HAPROXY -> Row.HAPROXY.path();
            case VERTX, VERTX_HTTP2 -> Row.VERTX.path();
            default -> Row.CHECK.path();
        };
    }

    private static String configuration(Path folder, String name, int port) throws IOException {
        String text = resource(name).replace("@PORT@", Integer.toString(port));
        return Files.writeString(folder.resolve(name), text).toString();
    }

    private static List<String> sluice(Path folder, int port, int rules, String store) throws IOException {
        Path file = Files.writeString(folder.resolve("rules.yaml"), RuleText.of(rules));
        return java(
                "dev.sluice.server.cli.Main",
                "serve",
                "--rules",
                file.toString(),
                "--store",
                store,
                "--host",
                "127.0.0.1",
                "--port",
                Integer.toString(port),
                "--admin-port",
                "0");
    }

    /** With the flags of ./sluice, on this JVM's own class path. */
    private static List<String> java(String... more) {
        List<String> words = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java") + ""));
        int version = Runtime.version().feature();
        if (version >= 22) {
            words.add("--enable-native-access=ALL-UNNAMED");
        }
        if (version >= 23) {
            words.add("--sun-misc-unsafe-memory-access=allow");
        }
        words.add("-XX:+UseParallelGC");
        List<String> parts = Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .map(part -> Path.of(part).toAbsolutePath().toString())
                .toList();
        words.addAll(List.of("-cp", String.join(File.pathSeparator, parts)));
        words.addAll(List.of(more));
        return words;
    }
}
