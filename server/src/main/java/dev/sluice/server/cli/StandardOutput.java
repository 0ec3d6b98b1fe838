package dev.sluice.server.cli;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import org.jspecify.annotations.Nullable;

/**
 * Standard output. It remembers why it could not be written: a {@link PrintWriter} says only that, and only if it is asked.
 */
final class StandardOutput extends OutputStream {
    private static final String BROKEN_PIPE = "Broken pipe";

    private final OutputStream out;
    private @Nullable IOException failure;

    StandardOutput(OutputStream out) {
        this.out = out;
    }

    @Override
    public synchronized void write(int letter) throws IOException {
        write(new byte[] {(byte) letter}, 0, 1);
    }

    @Override
    public synchronized void write(byte[] bytes, int from, int length) throws IOException {
        try {
            out.write(bytes, from, length);
        } catch (IOException e) {
            failure = failure == null ? e : failure;
            throw e;
        }
    }

    @Override
    public void flush() throws IOException {
        out.flush();
    }

    /**
     * The exit code of a command that ended with {@code code}: 1 if not all that it printed was written. A reader that
     * closed the pipe, as head does, has what it wants, and gets no message.
     */
    synchronized int exitCode(int code, PrintWriter err) {
        if (failure == null) {
            return code;
        }
        String reason = String.valueOf(failure.getMessage());
        if (!reason.contains(BROKEN_PIPE)) {
            err.println("sluice: cannot write to standard output: " + reason);
        }
        return code == 0 ? 1 : code;
    }
}
