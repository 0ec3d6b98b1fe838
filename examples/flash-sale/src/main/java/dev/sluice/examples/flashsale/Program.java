package dev.sluice.examples.flashsale;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A program that was started, with its output in a file. */
final class Program implements AutoCloseable {
    private static final Duration TO_START = Duration.ofSeconds(90);
    private static final int TO_END_SECONDS = 10;

    private final String name;
    private final Path log;
    private final Process process;

    private Program(String name, Path log, Process process) {
        this.name = name;
        this.log = log;
        this.process = process;
    }

    static Program start(String name, Path folder, List<String> command) throws IOException {
        Path log = folder.resolve(name + ".log");
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .start();
        return new Program(name, log, process);
    }

    /** Waits until it listens on a port. */
    void awaitPort(int port) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + TO_START.toNanos();
        while (!listens(port)) {
            if (!process.isAlive() || System.nanoTime() > deadline) {
                throw new IOException(name + (process.isAlive() ? " does not listen on port " + port : " has ended")
                        + ". It said:\n" + Files.readString(log));
            }
            TimeUnit.MILLISECONDS.sleep(50);
        }
    }

    private static boolean listens(int port) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (IOException e) {
            return false;
        }
    }

    /** Ends it at once, as a crash would. */
    void kill() {
        process.destroyForcibly();
        await();
    }

    @Override
    public void close() {
        process.destroy();
        if (!await()) {
            process.destroyForcibly();
        }
    }

    private boolean await() {
        try {
            return process.waitFor(TO_END_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
