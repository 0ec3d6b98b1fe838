package dev.sluice.server.admin;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import java.time.ZoneOffset;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;

/** A log with one line of JSON for each change that an admin made. */
public final class AuditLog implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(AuditLog.class.getName());

    private final OutputStream out;
    private final Clock clock;
    private final boolean owned;
    private final ReentrantLock lock = new ReentrantLock();
    final LongAdder failures = new LongAdder();

    private AuditLog(OutputStream out, Clock clock, boolean owned) {
        this.out = out;
        this.clock = clock;
        this.owned = owned;
    }

    /** Appends to a file, which is created if it does not exist. */
    public static AuditLog toFile(Path file) {
        try {
            OutputStream out = Files.newOutputStream(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
            return new AuditLog(out, Clock.tickMillis(ZoneOffset.UTC), true);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write the audit log: " + file, e);
        }
    }

    /** Writes to a stream, such as standard output, which stays open. */
    public static AuditLog to(OutputStream out) {
        return new AuditLog(out, Clock.tickMillis(ZoneOffset.UTC), false);
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
            out.write((text + "\n").getBytes(UTF_8));
            out.flush();
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
