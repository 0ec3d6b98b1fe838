package dev.sluice.bench.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Programs that run to their end, and what they print. */
final class Commands {
    private static final int MOST_SECONDS_LATE = 60;

    private Commands() {}

    /** What it printed. It is ended, and so fails, if it takes a minute longer than it should. */
    static String output(List<String> words, int seconds) {
        try {
            Process process =
                    new ProcessBuilder(words).redirectErrorStream(true).start();
            CompletableFuture.delayedExecutor(seconds + MOST_SECONDS_LATE, TimeUnit.SECONDS)
                    .execute(process::destroyForcibly);
            String said = new String(process.getInputStream().readAllBytes(), UTF_8);
            if (process.waitFor() != 0) {
                throw new IllegalStateException(words + " ended with " + process.exitValue() + ": " + said);
            }
            return said;
        } catch (IOException e) {
            throw new IllegalStateException("cannot run " + words, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while measuring", e);
        }
    }

    /** The first match. */
    static Matcher find(Pattern pattern, String said) {
        Matcher matcher = pattern.matcher(said);
        if (!matcher.find()) {
            throw new IllegalStateException("no " + pattern + " in: " + said);
        }
        return matcher;
    }
}
