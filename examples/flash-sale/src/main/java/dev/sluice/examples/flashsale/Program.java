package dev.sluice.examples.flashsale;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** A program that was started, with its output in a file. */
final class Program implements AutoCloseable {
    private static final Duration TO_START = Duration.ofMinutes(5);
    private static final int TELL_EVERY_SECONDS = 10;
    /** What tells tests and this example where programs are. The starter would take them for properties of its own. */
    private static final Set<String> NOT_FOR_PROGRAMS = Set.of("SLUICE_NGINX", "SLUICE_CHROMIUM", "SLUICE_TEST_REDIS");

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
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
        builder.environment().keySet().removeAll(NOT_FOR_PROGRAMS);
        return new Program(name, log, builder.start());
    }

    /** Waits until it listens on a port, and says so if that takes long. */
    void awaitPort(int port) throws IOException, InterruptedException {
        long began = System.nanoTime();
        long told = 0;
        while (!listens(port)) {
            long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - began);
            if (!process.isAlive()) {
                throw new IOException(name + " has ended. It said:\n" + Files.readString(log));
            }
            if (seconds >= TO_START.toSeconds()) {
                throw new IOException(name + " does not listen on port " + port + " after " + seconds
                        + " s; is the machine busy? It said:\n" + Files.readString(log));
            }
            if (seconds >= told + TELL_EVERY_SECONDS) {
                told = seconds;
                System.out.println("still starting " + name + ", since " + seconds + " s ...");
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
