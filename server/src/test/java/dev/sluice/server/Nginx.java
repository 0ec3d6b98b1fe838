package dev.sluice.server;

import dev.sluice.redis.servers.Eventually;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A real nginx of its own on loopback, in a folder of its own. */
final class Nginx implements AutoCloseable {
    private static final Duration TO_START = Duration.ofSeconds(20);
    private static final Duration TO_END = Duration.ofSeconds(10);

    private final Path folder;
    private final Process process;

    private Nginx(Path folder, Process process) {
        this.folder = folder;
        this.process = process;
    }

    /** The path of nginx: what SLUICE_NGINX names, or one on the PATH or where Debian puts it. */
    static Optional<Path> find() {
        @Nullable String named = System.getenv("SLUICE_NGINX");
        if (named != null && !named.isBlank()) {
            return Optional.of(Path.of(named));
        }
        String path = Optional.ofNullable(System.getenv("PATH")).orElse("");
        return Stream.of((path + ":/usr/sbin:/usr/local/sbin").split(":", -1))
                .map(folder -> Path.of(folder, "nginx"))
                .filter(Files::isExecutable)
                .findFirst();
    }

    /** Starts it on a configuration that has it listen on a port, and waits until it does. */
    static Nginx start(Path nginx, String configuration, int port) throws IOException {
        Path folder = Files.createTempDirectory("sluice-nginx");
        Path file = Files.writeString(folder.resolve("nginx.conf"), configuration);
        Process process = new ProcessBuilder(
                        nginx.toString(), "-e", "stderr", "-p", folder.toString(), "-c", file.toString())
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(folder.resolve("log").toFile())
                .start();
        Nginx started = new Nginx(folder, process);
        try {
            Eventually.holds("nginx listens", TO_START, () -> !process.isAlive() || listens(port), started::log);
            if (!process.isAlive()) {
                throw new IllegalStateException("nginx ended with " + process.exitValue() + ": " + started.log());
            }
            return started;
        } catch (AssertionError | IllegalStateException e) {
            started.close();
            throw e;
        }
    }

    private static boolean listens(int port) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (IOException e) {
            return false;
        }
    }

    /** What it has complained about, a line each. */
    String log() {
        try {
            return Files.readString(folder.resolve("log"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() throws IOException {
        List<ProcessHandle> processes = Stream.concat(process.descendants(), Stream.of(process.toHandle()))
                .toList();
        process.destroy(); // which ends its workers, too
        for (ProcessHandle each : processes) {
            each.onExit()
                    .orTimeout(TO_END.toMillis(), TimeUnit.MILLISECONDS)
                    .exceptionally(late -> {
                        each.destroyForcibly();
                        return each;
                    })
                    .join();
        }
        try (Stream<Path> files = Files.walk(folder)) {
            files.sorted(Comparator.reverseOrder())
                    .forEach(file -> file.toFile().delete());
        }
    }
}
