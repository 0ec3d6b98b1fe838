package dev.sluice.examples.flashsale;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** What was started, and a folder for its files. All of it ends with this process, also by Ctrl-C. */
final class Programs implements AutoCloseable {
    private final Path folder;
    private final Deque<AutoCloseable> started = new ArrayDeque<>();
    private boolean closed;

    private Programs(Path folder) {
        this.folder = folder;
    }

    static Programs none() throws IOException {
        Programs programs = new Programs(Files.createTempDirectory("sluice-flash-sale"));
        Runtime.getRuntime().addShutdownHook(new Thread(programs::close));
        return programs;
    }

    Path folder() {
        return folder;
    }

    /** Starts a program; its output is in a file of that name. */
    synchronized Program start(String name, List<String> command, String... arguments) throws IOException {
        List<String> words = new ArrayList<>(command);
        words.addAll(List.of(arguments));
        return end(Program.start(name, folder, words));
    }

    /** Ends this, too, when the others are. */
    synchronized <T extends AutoCloseable> T end(T with) throws IOException {
        if (closed) {
            quietly(with);
            throw new IOException("the sale is being ended");
        }
        started.push(with);
        return with;
    }

    synchronized boolean closed() {
        return closed;
    }

    /** The command that runs a class on the JDK of this process. */
    static List<String> java(String classPath, String main) {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        return List.of(java, "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx192m", "-cp", classPath, main);
    }

    /** The program that a variable names, or one of that name where programs are. */
    static Optional<String> find(String variable, String name) {
        Optional<String> named = Optional.ofNullable(System.getenv(variable)).filter(text -> !text.isBlank());
        String path = Optional.ofNullable(System.getenv("PATH")).orElse("");
        return named.or(() -> Stream.of((path + ":/usr/sbin:/usr/local/sbin").split(File.pathSeparator, -1))
                .map(each -> Path.of(each, name))
                .filter(Files::isExecutable)
                .map(Path::toString)
                .findFirst());
    }

    /** Ends everything, the last first, and removes its files. */
    @Override
    public synchronized void close() {
        closed = true;
        while (!started.isEmpty()) {
            quietly(started.pop());
        }
        if (Files.exists(folder)) {
            try (Stream<Path> files = Files.walk(folder)) {
                files.sorted(Comparator.reverseOrder())
                        .forEach(file -> file.toFile().delete());
            } catch (IOException e) {
                System.err.println(folder + " could not be removed: " + e.getMessage());
            }
        }
    }

    private static void quietly(AutoCloseable with) {
        try {
            with.close();
        } catch (Exception e) {
            System.err.println("could not be ended: " + e);
        }
    }
}
