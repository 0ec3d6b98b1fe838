package dev.sluice.server.admin;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.vertx.core.json.JsonObject;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import java.time.ZoneOffset;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A log with one line of JSON for each change that an admin made.
 *
 * <p>A disk that fills up, or a process that is killed, leaves a part of a line. The next line begins on a new one, so
 * that it can be read.
 */
public final class AuditLog implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(AuditLog.class.getName());

    private final OutputStream out;
    private final Clock clock;
    private final boolean owned;
    private final ReentrantLock lock = new ReentrantLock();
    /** Whether the last line may have no end; guarded by the lock. */
    private boolean torn;

    final LongAdder failures = new LongAdder();

    private AuditLog(OutputStream out, boolean owned, boolean torn) {
        this.out = out;
        this.clock = Clock.tickMillis(ZoneOffset.UTC);
        this.owned = owned;
        this.torn = torn;
    }

    /**
     * Appends to a file, which is created if it does not exist.
     *
     * @throws IOException if the file cannot be written to
     */
    public static AuditLog toFile(Path file) throws IOException {
        OutputStream out = Files.newOutputStream(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        return new AuditLog(out, true, endsWithinLine(file));
    }

    /** Writes to standard output. Not by way of {@link System#out}, which tells nobody that a line was lost. */
    public static AuditLog toStandardOutput() {
        return to(new FileOutputStream(FileDescriptor.out));
    }

    /** Writes to a stream, which stays open. */
    public static AuditLog to(OutputStream out) {
        return new AuditLog(out, false, false);
    }

    private static boolean endsWithinLine(Path file) throws IOException {
        if (!Files.isRegularFile(file) || !Files.isReadable(file)) {
            return false;
        }
        try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "r")) {
            if (bytes.length() == 0) {
                return false;
            }
            bytes.seek(bytes.length() - 1);
            return bytes.read() != '\n';
        }
    }

    /** Writes a line. A line that cannot be written is counted, and written to the log of the server. */
    void record(String who, String what, JsonObject details) {
        JsonObject line = new JsonObject()
                .put("audit", what)
                .put("when", clock.instant().toString())
                .put("who", who);
        details.forEach(entry -> line.put(entry.getKey(), entry.getValue()));
        String text = line.encode();
        lock.lock();
        try {
            byte[] bytes = ((torn ? "\n" : "") + text + "\n").getBytes(UTF_8);
            torn = true;
            out.write(bytes);
            out.flush();
            torn = false;
        } catch (IOException e) {
            failures.increment();
            LOG.log(System.Logger.Level.ERROR, "cannot write the audit log ({0}): {1}", e.getMessage(), text);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        if (owned) {
            try {
                out.close();
            } catch (IOException e) {
                failures.increment();
            }
        }
    }
}
