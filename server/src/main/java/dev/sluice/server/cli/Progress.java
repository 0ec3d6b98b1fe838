package dev.sluice.server.cli;

import dev.sluice.simulate.log.file.LogSource;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * A bar that shows how far logs have been read, and how fast. On what is no terminal it shows nothing, and on systems that
 * do not tell: without {@code /proc}, the JDK cannot say where standard error goes.
 */
final class Progress {
    private static final Path STANDARD_ERROR = Path.of("/proc/self/fd/2");
    private static final int WIDTH = 30;
    private static final long INTERVAL_MILLIS = 200;
    private static final long MEGABYTE = 1_000_000;

    private final PrintWriter err;
    private final LogSource source;
    private final long startNanos = System.nanoTime();
    private final Thread thread = new Thread(this::run, "sluice-progress");

    private Progress(PrintWriter err, LogSource source) {
        this.err = err;
        this.source = source;
        thread.setDaemon(true);
    }

    /** Starts to show a bar, if standard error is a terminal. */
    static Progress start(PrintWriter err, LogSource source) {
        Progress progress = new Progress(err, source);
        if (isTerminal()) {
            progress.thread.start();
        }
        return progress;
    }

    private static boolean isTerminal() {
        try {
            String target = Files.readSymbolicLink(STANDARD_ERROR).toString();
            return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty");
        } catch (IOException | UnsupportedOperationException e) {
            return false;
        }
    }

    private void run() {
        try {
            while (true) {
                Thread.sleep(INTERVAL_MILLIS);
                err.print("\r" + line(source.bytesRead(), source.totalBytes(), System.nanoTime() - startNanos));
                err.flush();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** The line after so many bytes of {@code total}, or of an unknown number if that is 0. */
    static String line(long bytes, long total, long nanos) {
        String rate =
                String.format(Locale.ROOT, "%,d MB, %,d MB/s", bytes / MEGABYTE, bytes * 1000 / Math.max(1, nanos));
        if (total == 0) {
            return rate;
        }
        int done = (int) Math.min(WIDTH, WIDTH * bytes / total);
        long seconds =
                bytes == 0 ? 0 : TimeUnit.NANOSECONDS.toSeconds((long) (nanos * (double) (total - bytes) / bytes));
        return String.format(
                Locale.ROOT,
                "[%s%s] %3d %% %s, %ds left ",
                "#".repeat(done),
                " ".repeat(WIDTH - done),
                Math.min(100, 100 * bytes / total),
                rate,
                Math.max(0, seconds));
    }

    /** Takes the bar away. */
    void stop() {
        if (!thread.isAlive()) {
            return;
        }
        thread.interrupt();
        try {
            thread.join(2 * INTERVAL_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        err.print("\r" + " ".repeat(WIDTH + 50) + "\r");
        err.flush();
    }
}
