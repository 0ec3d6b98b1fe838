package dev.sluice.server.cli;

import dev.sluice.Durations;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * The body of a response, of which a read fails that gets nothing for a while.
 *
 * <p>Why: the JDK's own timeout of a request ends when the head of the response is there. A server that stops in the middle
 * of the body would be waited for without end.
 */
final class ReadTimeoutStream extends FilterInputStream {
    private final Duration timeout;
    private volatile boolean late;

    ReadTimeoutStream(InputStream body, Duration timeout) {
        super(body);
        this.timeout = timeout;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
        CompletableFuture<Void> timer = new CompletableFuture<>();
        timer.orTimeout(timeout.toNanos(), TimeUnit.NANOSECONDS).whenComplete((done, expired) -> {
            if (expired != null) {
                hangUp();
            }
        });
        int count;
        try {
            count = super.read(into, offset, length);
        } catch (IOException e) {
            throw late ? tooLate() : e;
        } finally {
            timer.complete(null);
        }
        if (late) { // the end of the body is only that of the connection
            throw tooLate();
        }
        return count;
    }

    /** Ends the read that is under way. */
    private void hangUp() {
        late = true;
        try {
            in.close();
        } catch (IOException e) {
            // the read fails all the same
        }
    }

    private IOException tooLate() {
        return new InterruptedIOException(
                "the server stopped in the middle of its answer: nothing came for " + Durations.text(timeout));
    }
}
