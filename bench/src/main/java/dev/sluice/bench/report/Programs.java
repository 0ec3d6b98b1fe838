package dev.sluice.bench.report;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Other processes that a benchmark runs, and their files. */
public final class Programs {
    private static final int MAX_SECONDS_LATE = 60;
    private static final Pattern VERSION = Pattern.compile("\\d+\\.\\d[\\w.]*");

    private Programs() {}

    /** The command of a JVM like this one, on this one's class path, for any working directory. */
    public static List<String> java(List<String> flags, String mainClass, String... args) {
        List<String> words = new ArrayList<>();
        words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        words.addAll(flags);
        words.add("-cp");
        words.add(Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .map(part -> Path.of(part).toAbsolutePath().toString())
                .collect(Collectors.joining(File.pathSeparator)));
        words.add(mainClass);
        words.addAll(List.of(args));
        return words;
    }

    /** What a command printed, errors included. It must succeed, at most a minute later than {@code seconds}. */
    public static String output(List<String> words, int seconds) {
        return output(new ProcessBuilder(words).redirectErrorStream(true), seconds);
    }

    /** What a process printed. It must succeed, at most a minute later than {@code seconds}. */
    public static String output(ProcessBuilder builder, int seconds) {
        try {
            Process process = builder.start();
            CompletableFuture.delayedExecutor(seconds + MAX_SECONDS_LATE, TimeUnit.SECONDS)
                    .execute(process::destroyForcibly);
            String output = new String(process.getInputStream().readAllBytes(), UTF_8);
            if (process.waitFor() != 0) {
                throw new IllegalStateException(
                        builder.command() + " ended with " + process.exitValue() + ": " + output);
            }
            return output;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot run " + builder.command(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while measuring", e);
        }
    }

    /** A program on the PATH, or where a system keeps those of its administrator; empty if it is not installed. */
    public static Optional<Path> find(String program) {
        String path = Objects.requireNonNullElse(System.getenv("PATH"), "");
        return Stream.concat(Stream.of(path.split(File.pathSeparator, -1)), Stream.of("/usr/sbin", "/usr/local/sbin"))
                .map(folder -> Path.of(folder, program))
                .filter(file -> Files.isRegularFile(file) && Files.isExecutable(file))
                .findFirst();
    }

    /**
     * The same command, or none, in a session of its own, as a service has one: Linux divides the processors among sessions, and
     * within one a server would be woken for every request in the middle of what the load generator does.
     */
    public static List<String> inOwnSession(List<String> command) {
        return find("setsid")
                .map(setsid -> Stream.concat(Stream.of(setsid.toString()), command.stream())
                        .toList())
                .orElse(command);
    }

    /** The version that a program tells when it is given these words. */
    public static String version(Path program, List<String> words) {
        try {
            Process process = new ProcessBuilder(Stream.concat(Stream.of(program.toString()), words.stream())
                            .toList())
                    .redirectErrorStream(true)
                    .start();
            String said = new String(process.getInputStream().readAllBytes(), UTF_8);
            Matcher version = VERSION.matcher(said);
            return version.find() ? version.group() : "of unknown version";
        } catch (IOException e) {
            throw new IllegalStateException(program + " cannot be started", e);
        }
    }

    /** The text of a file beside a class. */
    public static String resource(Class<?> type, String name) {
        try (InputStream in = type.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException(name + " is missing from the class path");
            }
            return new String(in.readAllBytes(), UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(name + " cannot be read", e);
        }
    }

    /** A new folder for the files of other programs. */
    public static Path folder() {
        try {
            return Files.createTempDirectory("sluice-bench");
        } catch (IOException e) {
            throw new UncheckedIOException("cannot make a folder for temporary files", e);
        }
    }

    /** Deletes a folder; what cannot be deleted is left for the system to sweep. */
    public static void delete(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            // it is in the system's folder for temporary files
        }
    }
}
