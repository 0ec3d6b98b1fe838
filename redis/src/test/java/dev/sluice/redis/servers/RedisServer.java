package dev.sluice.redis.servers;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A redis-server of its own on loopback, which can be killed, frozen and started again. Ends with this JVM at the latest. */
public final class RedisServer implements AutoCloseable {
    /** Redis answered with an error, whose text is the message. */
    public static final class ErrorReply extends RuntimeException {
        private static final long serialVersionUID = 1;

        ErrorReply(String message) {
            super(message);
        }
    }

    private static final Duration TO_START = Duration.ofSeconds(15);
    private static final int ATTEMPTS = 3;
    private static final int LOG_CHARACTERS_SHOWN = 2_000;
    private static final Set<RedisServer> RUNNING = ConcurrentHashMap.newKeySet();

    static {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> RUNNING.forEach(RedisServer::close)));
    }

    private final Path folder;
    private final int port;
    private final List<String> words;
    private final List<String> login;
    private volatile Process process;
    private volatile boolean paused;

    /** With the words of its command line before those that say where it listens. */
    private RedisServer(Path folder, int port, List<String> words, List<String> options) {
        this.folder = folder;
        this.port = port;
        this.words = words;
        int password = options.indexOf("--requirepass");
        this.login = password < 0 ? List.of() : List.of("AUTH", options.get(password + 1));
        this.process = launched();
        RUNNING.add(this);
        try {
            awaitAnswer();
        } catch (IllegalStateException e) {
            close();
            throw e;
        }
    }

    /** Starts the standard binary with more options, such as {@code "--maxmemory", "2mb"}. */
    public static RedisServer start(String... options) {
        return start(RedisBinary.standard(), options);
    }

    /** Starts a binary with more options. */
    public static RedisServer start(RedisBinary binary, String... options) {
        return startBy(List.of(), binary, options);
    }

    /** Starts a binary by a program that becomes it, such as {@code setsid}. */
    public static RedisServer startBy(List<String> launcher, RedisBinary binary, String... options) {
        return started(() -> {
            Path folder = Files.createTempDirectory("sluice-redis-");
            int port = freePort();
            List<String> words = new ArrayList<>(launcher);
            words.add(binary.path().toString());
            words.addAll(List.of("--port", Integer.toString(port), "--bind", "127.0.0.1", "--dir", folder.toString()));
            words.addAll(List.of("--save", "", "--appendonly", "no", "--daemonize", "no"));
            words.addAll(Arrays.asList(options));
            return new RedisServer(folder, port, List.copyOf(words), Arrays.asList(options));
        });
    }

    /** Starts a Sentinel with these lines in its configuration. */
    static RedisServer startSentinel(RedisBinary binary, String... lines) {
        return started(() -> {
            Path folder = Files.createTempDirectory("sluice-sentinel-");
            int port = freePort();
            List<String> settings = new ArrayList<>(List.of("port " + port, "bind 127.0.0.1", "dir " + folder));
            settings.addAll(Arrays.asList(lines));
            Path file = Files.write(folder.resolve("sentinel.conf"), settings);
            List<String> options = Arrays.stream(lines)
                    .filter(line -> line.startsWith("requirepass "))
                    .flatMap(line -> Stream.of("--requirepass", line.substring("requirepass ".length())))
                    .toList();
            return new RedisServer(
                    folder, port, List.of(binary.path().toString(), file.toString(), "--sentinel"), options);
        });
    }

    /** A port on loopback that nobody uses. */
    public static int freePort() {
        return Ports.free();
    }

    public int port() {
        return port;
    }

    /** {@code redis://127.0.0.1:port}, without a password. */
    public String url() {
        return "redis://" + address();
    }

    public long pid() {
        return process.pid();
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /** Whether it lives and is not frozen. */
    public boolean isRunning() {
        return isAlive() && !paused;
    }

    /** Ends it at once, as kill -9 does. */
    public void kill() {
        process.destroyForcibly();
        try {
            if (!process.waitFor(TO_START.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new IllegalStateException(this + " does not die");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Freezes it: connections stay open, and nobody answers. */
    public void pause() {
        signal(Signal.STOP);
        paused = true;
    }

    /** Lets it go on. */
    public void resume() {
        signal(Signal.CONT);
        paused = false;
    }

    /** Starts it again after {@link #kill}, on the same port, with the same options, in the same folder. */
    public void restart() {
        if (isAlive()) {
            throw new IllegalStateException(this + " is alive: kill it first");
        }
        paused = false;
        process = launched();
        awaitAnswer();
    }

    /** What it replies to a command: a String, a Long, a List of such, or null for nil. */
    public @Nullable Object command(String... words) {
        try (Resp connection = new Resp(port)) {
            if (!login.isEmpty()) {
                connection.ask(login.toArray(String[]::new));
            }
            return connection.ask(words);
        } catch (IOException e) {
            throw new UncheckedIOException(this + " did not answer " + words[0], e);
        }
    }

    /** What it replies to a command with a text for an answer. Nil is empty. */
    public String text(String... words) {
        Object reply = command(words);
        return reply == null ? "" : reply.toString();
    }

    /** What it replies to a command with a number for an answer. */
    public long number(String... words) {
        return command(words) instanceof Long number ? number : 0;
    }

    /** What it replies to a command with a list for an answer. */
    public List<String> list(String... words) {
        return command(words) instanceof List<?> list
                ? list.stream().map(String::valueOf).toList()
                : List.of();
    }

    /** The names of all keys in database 0. */
    public List<String> keys() {
        return list("KEYS", "*").stream().sorted().toList();
    }

    /** The value of a field that INFO, CLUSTER INFO and their like report. */
    static String field(String report, String name) {
        return report.lines()
                .filter(line -> line.startsWith(name + ":"))
                .findFirst()
                .map(line -> line.substring(name.length() + 1))
                .orElse("");
    }

    /** Ends it and deletes its folder. */
    @Override
    public void close() {
        kill();
        RUNNING.remove(this);
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException | UncheckedIOException e) {
            // already gone, or left for the system to sweep
        }
    }

    @Override
    public String toString() {
        return "redis-server at " + address();
    }

    String address() {
        return "127.0.0.1:" + port;
    }

    private Process launched() {
        try {
            return new ProcessBuilder(words)
                    .directory(folder.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(log().toFile()))
                    .start();
        } catch (IOException e) {
            throw new IllegalStateException("cannot start " + words, e);
        }
    }

    /** Another server might answer on the port, so it is asked who it is. */
    private void awaitAnswer() {
        try {
            Eventually.holds(this + " answers", TO_START, () -> !isAlive() || isMe());
        } catch (AssertionError e) {
            throw new IllegalStateException(this + " does not answer, and says: " + said(), e);
        }
        if (!isAlive()) {
            throw new IllegalStateException(
                    this + " ended with " + process.exitValue() + ", command " + words + ", and said: " + said());
        }
    }

    private boolean isMe() {
        return text("PING").equals("PONG")
                && field(text("INFO", "server"), "process_id").equals("" + pid());
    }

    private String said() {
        try {
            String said = Files.readString(log(), UTF_8);
            return said.substring(Math.max(0, said.length() - LOG_CHARACTERS_SHOWN));
        } catch (IOException e) {
            return "(its log cannot be read: " + e + ")";
        }
    }

    private Path log() {
        return folder.resolve("log");
    }

    /** A signal to the process that was started here, and only while it lives. */
    private void signal(Signal signal) {
        if (!isAlive()) {
            throw new IllegalStateException(this + " is not alive");
        }
        signal.send(pid());
    }

    /** Something that may find its port taken by then. */
    private interface Start {
        RedisServer run() throws IOException;
    }

    private static RedisServer started(Start start) {
        IllegalStateException failure = null;
        for (int i = 0; i < ATTEMPTS; i++) {
            try {
                return start.run();
            } catch (IllegalStateException e) {
                failure = e;
                if (!String.valueOf(e.getMessage()).contains("Address already in use")) {
                    break;
                }
            } catch (IOException e) {
                throw new UncheckedIOException("cannot prepare a redis-server", e);
            }
        }
        throw failure == null ? new IllegalStateException("not started") : failure;
    }
}
