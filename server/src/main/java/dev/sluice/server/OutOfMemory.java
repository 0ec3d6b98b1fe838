package dev.sluice.server;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Ends the process when its memory is used up, after saying so.
 *
 * <p>Why: an {@link OutOfMemoryError} can strike any thread between any two steps, so that nothing can be relied on after it.
 * A process that ends is started again; one that lives on may answer nothing, or wrongly. With {@code ./sluice} the JVM
 * itself ends, wherever the error is thrown; this is for a JVM without that option, and sees the errors of event loops.
 */
final class OutOfMemory {
    /** The exit code, the same as that of {@code -XX:+ExitOnOutOfMemoryError}. */
    static final int EXIT_CODE = 3;

    private static final System.Logger LOG = System.getLogger(OutOfMemory.class.getName());
    private static final byte[] LINE =
            ("sluice: out of memory: the process ends, because nothing can be relied on any more;"
                            + " give it a larger heap (-Xmx), or the counters a smaller part of it (--memory)\n")
                    .getBytes(StandardCharsets.US_ASCII);

    private OutOfMemory() {}

    /** Handles an exception that nobody caught: ends the process if memory was used up, and else logs it. */
    static void endProcessOn(Throwable failure) {
        for (@Nullable Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof OutOfMemoryError) {
                say();
                Runtime.getRuntime().halt(EXIT_CODE);
            }
        }
        LOG.log(System.Logger.Level.ERROR, "an exception that nobody caught", failure);
    }

    /** Needs no memory but what is there already. */
    private static void say() {
        try (FileOutputStream err = new FileOutputStream(FileDescriptor.err)) {
            err.write(LINE);
        } catch (IOException e) {
            // then nobody listens
        }
    }
}
