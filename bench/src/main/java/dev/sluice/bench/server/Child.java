package dev.sluice.bench.server;

import dev.sluice.bench.report.Programs;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/** A server process on loopback, in a folder of its own. It ends with this JVM at the latest. */
public final class Child implements AutoCloseable {
    private static final Duration TO_START = Duration.ofSeconds(60);
    private static final Duration TO_END = Duration.ofSeconds(10);
    private static final long LOOK_EVERY_NANOS = TimeUnit.MICROSECONDS.toNanos(500);
    private static final long MICROS_PER_TICK = 10_000; // Linux shows times in hundredths of a second, everywhere
    private static final int LOG_CHARACTERS_SHOWN = 2_000;
    private static final Set<Child> RUNNING = ConcurrentHashMap.newKeySet();

    static {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> RUNNING.forEach(Child::close)));
    }

    private final String name;
    private final int port;
    private final Path folder;
    private final Process process;
    private final double startMillis;

    private Child(String name, int port, Path folder, List<String> words, String path) throws IOException {
        this.name = name;
        this.port = port;
        this.folder = folder;
        long began = System.nanoTime();
        this.process = new ProcessBuilder(Programs.inOwnSession(words))
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("log").toFile())
                .start();
        RUNNING.add(this);
        awaitAnswer(began, path);
        this.startMillis = (System.nanoTime() - began) / 1e6;
    }

    /** Starts the process and waits until it answers on a path of its port with success. */
    public static Child start(String name, int port, Path folder, List<String> words, String path) {
        try {
            return new Child(name, port, folder, words, path);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot start " + words, e);
        }
    }

    public int port() {
        return port;
    }

    /** From the start of the process to its first answer. */
    double startMillis() {
        return startMillis;
    }

    /**
     * The processor time that the process and its children take from now on. They are listed once: one that a second list
     * did not show would make the time negative, and one that has ended fails the measurement.
     */
    LongSupplier cpuMicrosFromNow() {
        List<ProcessHandle> all = processes().toList();
        long before = cpuMicros(all);
        return () -> cpuMicros(all) - before;
    }

    private static long cpuMicros(List<ProcessHandle> of) {
        return of.stream()
                .mapToLong(each -> cpuMicros(read(Path.of("/proc/" + each.pid() + "/stat"))))
                .sum();
    }

    /** The processor time of the compilers, if it is a JVM. */
    long compilerMicros() {
        try (Stream<Path> threads = Files.list(Path.of("/proc/" + process.pid() + "/task"))) {
            return threads.map(thread -> read(thread.resolve("stat")))
                    .filter(stat -> stat.contains("(C1 Compiler") || stat.contains("(C2 Compiler"))
                    .mapToLong(Child::cpuMicros)
                    .sum();
        } catch (IOException e) {
            throw new IllegalStateException("cannot see the threads of " + this + "; this needs Linux", e);
        }
    }

    /** The memory of the process and its children; memory that they share counts once. */
    public double megabytes() {
        return processes().mapToLong(Child::kilobytes).sum() / 1024.0;
    }

    @Override
    public void close() {
        List<ProcessHandle> all = processes().toList();
        process.destroy();
        for (ProcessHandle each : all) {
            each.onExit()
                    .orTimeout(TO_END.toMillis(), TimeUnit.MILLISECONDS)
                    .exceptionally(late -> {
                        each.destroyForcibly();
                        return each;
                    })
                    .join();
        }
        RUNNING.remove(this);
        Programs.delete(folder);
    }

    @Override
    public String toString() {
        return name + " on port " + port;
    }

    private Stream<ProcessHandle> processes() {
        return Stream.concat(Stream.of(process.toHandle()), process.descendants());
    }

    private void awaitAnswer(long began, String path) {
        while (process.isAlive() && System.nanoTime() - began < TO_START.toNanos()) {
            try {
                if (Probe.get(port, path).isSuccess()) {
                    return;
                }
            } catch (UncheckedIOException e) {
                // not yet
            }
            LockSupport.parkNanos(LOOK_EVERY_NANOS);
        }
        String said = said();
        close();
        throw new IllegalStateException(this + " does not answer; its log says: " + said);
    }

    private String said() {
        try {
            String said = Files.readString(folder.resolve("log"));
            return said.substring(Math.max(0, said.length() - LOG_CHARACTERS_SHOWN));
        } catch (IOException e) {
            return "(its log cannot be read: " + e + ")";
        }
    }

    /** User and system time, which follow the name in parentheses and eleven other words. */
    private static long cpuMicros(String stat) {
        String[] words = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
        return (Long.parseLong(words[11]) + Long.parseLong(words[12])) * MICROS_PER_TICK;
    }

    private static long kilobytes(ProcessHandle of) {
        return read(Path.of("/proc/" + of.pid() + "/smaps_rollup"))
                .lines()
                .filter(line -> line.startsWith("Pss:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                .sum();
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new IllegalStateException("cannot read " + file + "; this needs Linux", e);
        }
    }
}
