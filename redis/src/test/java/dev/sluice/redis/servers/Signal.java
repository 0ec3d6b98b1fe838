package dev.sluice.redis.servers;

import java.io.IOException;
import java.io.UncheckedIOException;

/** What freezes a process, and lets it go on. */
public enum Signal {
    /** Its connections stay open, and nobody answers. */
    STOP,
    CONT;

    /**
     * Sends the signal. After {@link #STOP} no thread of the process runs any more: the system stops them one after another,
     * and one on another processor may answer a request meanwhile.
     */
    public void send(long pid) {
        String stopped = "while grep -qs '^State:[[:space:]]*[^Tt[:space:]]' /proc/%1$d/task/*/status; do :; done";
        String command = ("kill -%2$s %1$d" + (this == STOP ? " && " + stopped : "")).formatted(pid, name());
        try {
            int status =
                    new ProcessBuilder("sh", "-c", command).inheritIO().start().waitFor();
            if (status != 0) {
                throw new IllegalStateException("kill -" + name() + " " + pid + " failed with " + status);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot signal " + pid, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
