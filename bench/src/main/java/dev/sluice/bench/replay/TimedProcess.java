package dev.sluice.bench.replay;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A process that ran to its end, and what it took.
 *
 * <p>A shell starts it and prints its processor time afterwards, which is exact. Its largest memory is looked up every few
 * milliseconds in what the system keeps as the maximum.
 *
 * @param seconds from its start to its end
 * @param cpuSeconds its processor time, in all its threads
 * @param megabytes the largest memory that it had at once
 * @param output what it printed, errors included
 */
record TimedProcess(double seconds, double cpuSeconds, double megabytes, String output) {
    private static final String SHELL = "\"$@\"; status=$?; times; exit $status";
    private static final Pattern TIMES = Pattern.compile("(\\d+)m([\\d.,]+)s (\\d+)m([\\d.,]+)s\\s*$");
    private static final Pattern PEAK = Pattern.compile("VmHWM:\\s+(\\d+) kB");
    private static final long LOOK_EVERY_MILLIS = 10;
    private static final long MAX_MINUTES = 20;

    /**
     * Runs a command, which must succeed.
     *
     * @param folder where it runs
     */
    static TimedProcess run(Path folder, List<String> words) {
        List<String> shell = new ArrayList<>(List.of("sh", "-c", SHELL, "sh"));
        shell.addAll(words);
        try {
            Path said = Files.createTempFile(folder, "said", ".txt");
            long began = System.nanoTime();
            Process process = new ProcessBuilder(shell)
                    .directory(folder.toFile())
                    .redirectErrorStream(true)
                    .redirectInput(Path.of("/dev/null").toFile())
                    .redirectOutput(said.toFile())
                    .start();
            long kilobytes = watch(process, began);
            double seconds = (System.nanoTime() - began) / 1e9;
            String output = Files.readString(said, UTF_8);
            Files.delete(said);
            Matcher times = TIMES.matcher(output);
            if (process.exitValue() != 0 || !times.find()) {
                throw new IllegalStateException(words + " ended with " + process.exitValue() + ": " + output);
            }
            double cpu = seconds(times.group(1), times.group(2)) + seconds(times.group(3), times.group(4));
            return new TimedProcess(seconds, cpu, kilobytes / 1024.0, output);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot run " + words, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while measuring", e);
        }
    }

    /** Waits for the end. Returns the largest memory of the processes that the shell started. */
    private static long watch(Process process, long began) throws InterruptedException {
        long most = 0;
        while (!process.waitFor(LOOK_EVERY_MILLIS, TimeUnit.MILLISECONDS)) {
            try (Stream<ProcessHandle> started = process.descendants()) {
                most = Math.max(
                        most, started.mapToLong(each -> kilobytes(each.pid())).sum());
            }
            if (System.nanoTime() - began > TimeUnit.MINUTES.toNanos(MAX_MINUTES)) {
                process.descendants().forEach(ProcessHandle::destroyForcibly);
                process.destroyForcibly();
                throw new IllegalStateException("still running after " + MAX_MINUTES + " minutes");
            }
        }
        return most;
    }

    private static long kilobytes(long pid) {
        try {
            Matcher peak = PEAK.matcher(Files.readString(Path.of("/proc/" + pid + "/status")));
            return peak.find() ? Long.parseLong(peak.group(1)) : 0;
        } catch (IOException e) {
            return 0; // it has just ended, or the system does not tell
        }
    }

    private static double seconds(String minutes, String seconds) {
        return 60 * Double.parseDouble(minutes) + Double.parseDouble(seconds.replace(',', '.'));
    }
}
